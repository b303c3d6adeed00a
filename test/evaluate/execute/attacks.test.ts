import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunCell, requireBubblewrap, warnOf } from "../../../src/evaluate/execute/kernels.js";
import { hasKernels, python } from "./python.js";

const NOBODY = 65_534;
const MEMORY = 2 ** 31;
const scripts = fileURLToPath(new URL("../../../scripts", import.meta.url));
const isRoot = process.getuid?.() === 0;
const hasBubblewrap = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"].some(existsSync);
/** A Python for another user, who often cannot read the tests' own Python. */
const userPython = process.env.CELREC_TEST_USER_PYTHON ?? python;

function whyNot(tool: string, user: string): string | null {
  if (tool === "bubblewrap" && !hasBubblewrap) return "bubblewrap is not installed";
  return user === "root" && !isRoot ? "these tests are not run by root" : null;
}

/** Another user must be able to read the driver and this Python. */
const shared = mkdtempSync(join(tmpdir(), "celrec-attacks-"));
afterAll(() => rmSync(shared, { recursive: true }));

const LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n";
const PRIVILEGES = `status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(*(word for name in ("NoNewPrivs", "CapBnd", "CapEff", "Seccomp") for word in (name, status[name].strip())))`;

/** Attacks of hostile cells, and their allowed outcomes. */
const ATTACKS: readonly (readonly [name: string, code: string, expected: object])[] = [
  [
    "makes a read-only folder writable",
    `${LIBC}print(libc.mount(b"none", b"/usr", None, 32 | 4096, None), ctypes.get_errno())`,
    { status: "ok", output: "-1 1\n" },
  ],
  [
    "mounts 8 GB of memory",
    `${LIBC}print(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, b"size=8g"), ctypes.get_errno())`,
    { status: "ok", output: "-1 1\n" },
  ],
  [
    "writes a result in the place of its supervisor",
    `import os
for path in ("/proc/1/fd/1", f"/proc/{os.getppid()}/fd/1", "/proc/1/mem"):
    try:
        open(path, "r+b"); print("opened")
    except OSError as error:
        print(error.errno)`,
    { status: "ok", output: "13\n13\n13\n" },
  ],
  [
    "keeps memory in a file without a name",
    "import os\ntry: os.memfd_create('x')\nexcept OSError as error: print(error.errno)",
    { status: "ok", output: "1\n" },
  ],
  [
    "keeps memory that belongs to no process",
    `${LIBC}print(libc.shmget(0, 2**30, 0o1600), ctypes.get_errno())`,
    { status: "ok", output: "-1 1\n" },
  ],
  [
    "shares more memory among processes than one may have",
    `import mmap, os, time
for _ in range(4):
    if os.fork() == 0:
        shared = mmap.mmap(-1, 900 * 2**20)
        for at in range(0, len(shared), 4096): shared[at] = 1
        time.sleep(60)
time.sleep(60)`,
    { status: "memory" },
  ],
  [
    "runs programs as root",
    PRIVILEGES,
    { status: "ok", output: "NoNewPrivs 1 CapBnd 0000000000000000 CapEff 0000000000000000 Seccomp 2\n" },
  ],
  [
    "makes namespaces, traces, reads keys, loads programs into the system",
    `${LIBC}import os
numbers = {"x86_64": (250, 321), "aarch64": (219, 280)}[os.uname().machine]
print(libc.unshare(0x10000000), libc.unshare(0x20000), libc.ptrace(16, 1, 0, 0), *(libc.syscall(number, 0, 0, 0, 0, 0) for number in numbers), ctypes.get_errno())`,
    { status: "ok", output: "-1 -1 -1 -1 -1 1\n" },
  ],
  [
    "opens raw, netlink and packet sockets",
    `import socket
for kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_NETLINK, socket.SOCK_DGRAM), (socket.AF_PACKET, socket.SOCK_DGRAM)):
    try:
        socket.socket(*kind); print("opened")
    except OSError as error:
        print(error.errno)`,
    { status: "ok", output: "1\n95\n95\n" },
  ],
  [
    "writes into the memory of another process",
    `import os
child = os.fork()
if child == 0:
    while True: pass
for pid in (child, os.getppid()):
    try:
        open(f"/proc/{pid}/mem", "r+b"); print("opened")
    except OSError as error:
        print(error.errno)
os.kill(child, 9)`,
    { status: "ok", output: expect.stringMatching(/^30\n(30|13)\n$/) },
  ],
  [
    "fills sockets, whose memory belongs to no process",
    `import socket, time, os
keep = []
try:
    for _ in range(100_000): keep += socket.socketpair()
except OSError as error:
    print(error.errno, len(keep) < 1024)`,
    { status: "ok", output: "24 True\n" },
  ],
  [
    "opens more files in several processes than all of them may have",
    `import os, socket, time
for _ in range(12):
    if os.fork() == 0:
        keep = []
        try:
            while True: keep += socket.socketpair()
        except OSError:
            time.sleep(60)
time.sleep(60)`,
    { status: "files" },
  ],
  [
    "hides the memory of its processes from its supervisor",
    `import ctypes, os, time
libc = ctypes.CDLL(None)
for _ in range(3):
    if os.fork() == 0:
        libc.prctl(4, 0)
        taken = b"x" * (900 * 2**20)
        time.sleep(60)
time.sleep(60)`,
    { status: "memory" },
  ],
  [
    "writes outside of its folder",
    `import os
for folder in ("/", "/dev", "/usr", "/etc"):
    try:
        open(folder + "/x", "w"); print("wrote")
    except OSError as error:
        print(error.errno)`,
    { status: "ok", output: "30\n30\n30\n30\n" },
  ],
];

describe.skipIf(!hasKernels).each([
  ["bubblewrap", "root", []],
  ["own", "root", ["own"]],
  ["bubblewrap", "an ordinary user", []],
  ["own", "an ordinary user", ["own"]],
] as const)("a sandbox of %s for %s", (tool, user, options) => {
  let driver: Driver | null = null;
  beforeAll(async () => {
    const why = whyNot(tool, user);
    const isOther = user !== "root" && isRoot;
    if (why === null)
      driver = await openDriver(isOther ? userPython : python, isOther ? NOBODY : null, options).catch(tell);
    else console.warn(`skipped: a sandbox of ${tool} for ${user}: ${why}`);
  }, 120_000);
  const tell = (error: Error) => {
    console.warn(`skipped: a sandbox of ${tool} for ${user}: ${error.message}`);
    return null;
  };
  afterAll(() => driver?.close());

  it("is made by that tool", ({ skip }) => {
    if (driver === null) return skip();
    expect(driver.ready).toMatchObject({ tool, network: true, files: true, processes: true });
  });

  for (const [name, code, expected] of ATTACKS) {
    it(`confines a cell that ${name}`, async ({ skip }) => {
      if (driver === null) return skip();
      expect(await driver.run(code)).toMatchObject(expected);
    }, 60_000);
  }

  it("limits a cell that creates 300,000 files", async ({ skip }) => {
    if (driver === null) return skip();
    const cell = await driver.run("for at in range(300_000): open(f'f{at}', 'w').close()");
    expect([cell.status, cell.error]).toEqual(tool === "own" ? ["error", "OSError"] : ["files", undefined]);
  }, 60_000);
});

describe("warnOf", () => {
  const closed = { network: true, files: true, processes: true, user: true };

  it("is empty with bubblewrap, and names the sandbox without it", () => {
    expect(warnOf({ tool: "bubblewrap", ...closed })).toBeNull();
    expect(warnOf({ tool: "own", ...closed })).toBe(
      "bubblewrap is not used: it is not installed. Cells run in celrec's own sandbox, which fewer people have examined. To use bubblewrap: apt-get install bubblewrap.",
    );
    expect(warnOf({ tool: "own", ...closed, reason: "bubblewrap is installed, but failed: x" })).toMatch(
      /^bubblewrap is not used \(bubblewrap is installed, but failed: x\)\. Cells run in celrec's own sandbox/,
    );
  });

  it("warns before it executes predictions of a language model, which need bubblewrap or a flag", () => {
    expect(() => requireBubblewrap({ tool: "own", ...closed }, false)).toThrow(
      "allow a weaker sandbox with --allow-weak-sandbox",
    );
    expect(() => requireBubblewrap({ tool: "own", ...closed }, true)).not.toThrow();
    expect(() => requireBubblewrap({ tool: "bubblewrap", ...closed }, false)).not.toThrow();
  });
});

interface Driver {
  readonly ready: object;
  run(code: string): Promise<RunCell>;
  close(): Promise<void>;
}

/** The driver, started as the user who runs the tests, or as a user without rights. */
async function openDriver(program: string, uid: number | null, options: readonly string[]): Promise<Driver> {
  const folder = join(shared, "scripts");
  mkdirSync(folder, { recursive: true });
  for (const name of ["kernel-driver.py", "kernel_sandbox.py", "kernel_confinement.py"])
    copyFileSync(join(scripts, name), join(folder, name));
  for (const path of [shared, folder]) chmodSync(path, 0o755);
  const driver = spawn(program, [join(folder, "kernel-driver.py"), "1", String(MEMORY), ...options], {
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
    cwd: shared,
    stdio: ["pipe", "pipe", "ignore"],
    ...(uid !== null && { uid, gid: uid }),
  });
  const lines = createInterface(driver.stdout)[Symbol.asyncIterator]();
  const ended = new Promise<void>((done) => driver.once("exit", () => done()));
  const failed = new Promise<never>((_, fail) => driver.once("error", fail));
  const read = async () => {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done) throw new Error("this Python runs no kernel for that user");
    return JSON.parse(value);
  };
  const { ready } = await read();
  if (ready.files !== true) throw new Error("this machine allows no namespaces");
  let last = 0;
  return {
    ready,
    run: async (code) => {
      last += 1;
      driver.stdin.write(`${JSON.stringify({ id: last, cells: [code], seconds: 40 })}\n`);
      return (await read()).cells.at(-1);
    },
    close: () => {
      driver.stdin.end();
      return ended;
    },
  };
}
