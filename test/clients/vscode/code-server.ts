import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** VS Code as a server, from npm; `scripts/install-code-server.sh` installs it. */
const ENTRY = resolve(
  process.env.CELREC_TEST_CODE_SERVER ?? ".code-server",
  "node_modules/code-server/out/node/entry.js",
);
const VSIX = resolve("clients/vscode/celrec-vscode.vsix");
export const hasCodeServer = existsSync(ENTRY) && existsSync(VSIX);

export interface CodeServer {
  readonly url: string;
  readonly workspace: string;
  readonly data: string;
  stop(): Promise<void>;
}

/** VS Code with the packed extension and the kernel of this test, on a workspace with these files. */
export async function startCodeServer(files: Readonly<Record<string, string>>, settings: object): Promise<CodeServer> {
  const folder = mkdtempSync(join(tmpdir(), "celrec-vscode-"));
  const [workspace, data, extensions] = ["workspace", "data", "extensions"].map((name) => join(folder, name));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [name, text] of Object.entries(files)) write(join(workspace!, name), text);
  write(join(data!, "User/settings.json"), JSON.stringify({ ...QUIET, ...settings }));
  write(join(folder, "config.yaml"), "auth: none\n");
  mkdirSync(extensions!);
  const words = ["--config", join(folder, "config.yaml"), "--user-data-dir", data!, "--extensions-dir", extensions!];
  const env = { ...process.env, HOME: folder };
  execFileSync(process.execPath, [ENTRY, ...words, "--install-extension", VSIX], { env, stdio: "ignore" });
  const kernel = join(folder, "kernel.vsix");
  packKernel(kernel, folder);
  execFileSync(process.execPath, [ENTRY, ...words, "--install-extension", kernel], { env, stdio: "ignore" });
  const port = await freePort();
  const bind = ["--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check"];
  const child = spawn(process.execPath, [ENTRY, ...words, ...bind, "--disable-workspace-trust", workspace!], {
    env,
    stdio: "ignore",
    // A process group of its own, so that its child processes are ended with it.
    detached: true,
  });
  const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace!)}`;
  await untilReady(url, child);
  const stop = async () => {
    const ended = new Promise((done) => child.once("exit", done));
    process.kill(-child.pid!, "SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  return { url, workspace: workspace!, data: data!, stop };
}

/** Settings without welcome pages and other suggestions. */
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.editor.enablePreview": false,
  "workbench.editor.enablePreviewFromQuickOpen": false,
  "security.workspace.trust.enabled": false,
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.suggestOnTriggerCharacters": false,
  "editor.parameterHints.enabled": false,
  "editor.autoIndent": "none",
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
  "editor.trimAutoWhitespace": false,
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "files.simpleDialog.enable": true,
};

/** A .vsix is a zip file with the extension and a manifest. */
function packKernel(file: string, folder: string): void {
  const stage = join(folder, "kernel");
  cpSync(resolve("test/clients/vscode/kernel"), join(stage, "extension"), { recursive: true });
  writeFileSync(
    join(stage, "[Content_Types].xml"),
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>',
  );
  writeFileSync(
    join(stage, "extension.vsixmanifest"),
    '<?xml version="1.0"?><PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata><Identity Language="en-US" Id="test-kernel" Version="0.0.1" Publisher="celrec"/><DisplayName>test-kernel</DisplayName></Metadata><Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets></PackageManifest>',
  );
  const zip = "import sys, shutil; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])";
  execFileSync("python3", ["-c", zip, file, stage]);
  cpSync(`${file}.zip`, file);
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`code-server ended with ${child.exitCode}`);
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((done) => setTimeout(done, 200));
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}
