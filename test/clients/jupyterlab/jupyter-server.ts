import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** A virtual environment with JupyterLab and the wheel of clients/jupyterlab; `.ci/run` makes it. */
export const JUPYTER = resolve(".venv-jupyter/bin");
export const hasJupyterLab =
  existsSync(join(JUPYTER, "jupyter-lab")) && canImport(["celrec_jupyterlab", "jupyterlab", "ipykernel"]);

const MAX_STOP_MS = 30_000;

export interface JupyterServer {
  /** The base URL with a prefix like JupyterHub's, and a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly root: string;
  readonly folder: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A JupyterLab with folders of its own, under a prefix as behind JupyterHub. */
export async function startJupyter(
  files: Readonly<Record<string, string>>,
  { settings = {}, env = {}, app = "jupyter-lab" }: { settings?: object; env?: NodeJS.ProcessEnv; app?: string } = {},
): Promise<JupyterServer> {
  const folder = mkdtempSync(join(tmpdir(), "celrec-jupyter-"));
  const root = join(folder, "root");
  const write = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) write(join(root, name), text);
  const configure = (name: string, values: object) =>
    write(join(folder, "config/lab/user-settings", `${name}.jupyterlab-settings`), JSON.stringify(values));
  // The panel opens by itself only in the test of this behaviour.
  configure("celrec-jupyterlab/plugin", { welcomed: true, ...settings });
  // Turned off, because JupyterLab's question about news covers the buttons.
  configure("@jupyterlab/apputils-extension/notification", { fetchNews: "false", checkForUpdates: false });
  const port = await freePort();
  const token = randomBytes(12).toString("hex");
  const words = [
    "--no-browser",
    "--allow-root",
    `--ServerApp.port=${port}`,
    "--ServerApp.ip=127.0.0.1",
    `--ServerApp.root_dir=${root}`,
    "--ServerApp.base_url=/user/ada/",
    `--IdentityProvider.token=${token}`,
  ];
  const child = spawn(join(JUPYTER, app), words, {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: `${JUPYTER}:${process.env.PATH}`,
      HOME: folder,
      JUPYTER_CONFIG_DIR: join(folder, "config"),
      JUPYTER_DATA_DIR: join(folder, "data"),
      JUPYTER_RUNTIME_DIR: join(folder, "runtime"),
      IPYTHONDIR: join(folder, "ipython"),
      ...env,
    },
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-20_000);
  });
  const url = `http://127.0.0.1:${port}/user/ada/`;
  await untilReady(`${url}api/status?token=${token}`, child, () => log);
  const stop = async () => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    // Kills the server if it does not end by itself.
    const timer = setTimeout(() => {
      spawnSync("pkill", ["-KILL", "-P", String(child.pid)]);
      child.kill("SIGKILL");
    }, MAX_STOP_MS);
    await ended;
    clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { url, token, root, folder, pid: child.pid!, stop };
}

async function untilReady(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`JupyterLab ended with ${child.exitCode}:\n${log()}`);
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** The celrec service among the child processes. */
export function findService(server: JupyterServer): number {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const row = rows.find((each) => each.includes(" serve ") && Number(each.trim().split(/\s+/)[1]) === server.pid);
  if (row === undefined) throw new Error("celrec does not run below Jupyter");
  return Number(row.trim().split(/\s+/)[0]);
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}

function canImport(names: readonly string[]): boolean {
  try {
    execFileSync(join(JUPYTER, "python"), ["-c", `import ${names.join(", ")}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The text of a notebook with these cells. A cell that starts with `#` is Markdown. */
export function notebookText(cells: readonly string[]): string {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: { name: "python3", display_name: "Python 3 (ipykernel)", language: "python" },
      language_info: { name: "python" },
    },
    cells: cells.map((source, at) =>
      source.startsWith("#")
        ? { id: `cell-${at}`, cell_type: "markdown", metadata: {}, source }
        : { id: `cell-${at}`, cell_type: "code", metadata: {}, execution_count: null, outputs: [], source },
    ),
  });
}
