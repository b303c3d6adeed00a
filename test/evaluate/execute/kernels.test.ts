import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kernels, openKernels } from "../../../src/evaluate/execute/kernels.js";
import { hasKernels, python } from "./python.js";

const outside = mkdtempSync(join(tmpdir(), "celrec-outside-"));
afterAll(() => rmSync(outside, { recursive: true }));
/** Options for kernels whose sandbox is checked differently. */
const note = () => {};

describe("openKernels", () => {
  it("advises what to install if Python or its kernels are missing", async () => {
    const error = expect.objectContaining({ code: "TARGET_FAILED" });
    await expect(openKernels({ python: join(outside, "none"), note })).rejects.toThrow(error);
    await expect(openKernels({ python: "/bin/false", note })).rejects.toThrow(/pip install jupyter_client ipykernel/);
  });
});

/** Harmful predictions, and how they end. */
const HOSTILE = [
  ["loops", "while True: pass", 3, { status: "timeout" }],
  ["kills its kernel", "import os\nos.kill(os.getpid(), 9)", 15, { status: "died" }],
  ["exits", "import os\nos._exit(0)", 15, { status: "died" }],
  ["wants 10 GB of memory", "b = bytearray(10 ** 10)", 15, { status: "memory", error: "MemoryError" }],
  ["prints without end", "while True: print('y' * 1000)", 15, { status: "output" }],
  [
    "writes 10 GB",
    "f = open('big', 'wb')\nfor _ in range(10240): f.write(b'x' * 2**20)",
    15,
    { status: "error", error: "OSError" },
  ],
  ["waits for input", "input()", 15, { status: "error", error: "StdinNotImplementedError" }],
] as const;

describe.skipIf(!hasKernels)("kernels", () => {
  let kernels: Kernels;
  beforeAll(async () => {
    kernels = await openKernels({ python, jobs: 2, note });
  });
  afterAll(() => kernels.close());

  const run = async (...cells: string[]) => kernels.run({ cells, seconds: 15 });
  const last = async (code: string, seconds = 15) => (await kernels.run({ cells: [code], seconds })).at(-1)!;

  it("gives the output and the last value of every cell, each job in a fresh kernel", async () => {
    expect((await run("x = 1", "print('a')\nx + 1", "x;")).map(({ status, output }) => [status, output])).toEqual([
      ["ok", ""],
      ["ok", "a\n2"],
      ["ok", ""],
    ]);
    expect(await last("x")).toMatchObject({ status: "error", error: "NameError" });
  });

  it("runs branches in copies of one kernel, with variables and files as the cells left them", async () => {
    const branches = [
      ...[
        "x += 1\nopen('f', 'w').write('two')\nx",
        "x",
        "open('f').read()",
        "print('a')\nimport sys\nprint('b', file=sys.stderr)\nx",
      ],
      ...["1 / 0", "import os\nos.kill(os.getpid(), 9)", "while True: pass", "while True: print('y' * 1000)"],
      ...[
        "import asyncio\nawait asyncio.sleep(0)",
        "import subprocess\nsubprocess.Popen(['sleep', '86420'], start_new_session=True).pid > 0",
      ],
      ...[
        "import subprocess\nsubprocess.run(['pgrep', '-f', 'sleep 8642[0]'], capture_output=True).stdout",
        "def f(:",
        "x",
      ],
    ];
    const cells = ["x = 1\nlen(open('f', 'w').write('one') * 'a')"];
    const ran = await kernels.runBranches({ cells, branches, seconds: 15 });
    expect(ran.cells.map(({ status, output }) => [status, output])).toEqual([["ok", "3"]]);
    expect(ran.branches.map((each) => each && [each.status, each.error ?? each.output.slice(0, 10)])).toEqual([
      ["ok", "2"],
      ["ok", "1"],
      ["ok", "'one'"],
      ["ok", "a\n1"],
      ["error", "ZeroDivisionError"],
      ["died", ""],
      ["timeout", ""],
      ["output", "yyyyyyyyyy"],
      null,
      ["ok", "True"],
      ["ok", "b''"],
      ["error", "SyntaxError"],
      ["ok", "1"],
    ]);
    expect(ran.branches[3]!.first).toBe("a\n");
  });

  it("runs the other branches if one writes a result of its own", async () => {
    const forge = `import os
for fd in range(3, 100):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:"): os.write(fd, b'{"status": "ok", "events": [["stdout", 5]]}')
    except OSError:
        pass
os._exit(0)`;
    const { branches } = await kernels.runBranches({
      cells: ["x = 1"],
      branches: [forge, "x + 1"],
      files: {},
      seconds: 30,
    });
    expect(branches).toEqual([null, null]);
  });

  it("runs no branch after failed cells, and supports a time limit per cell", async () => {
    const failed = await kernels.runBranches({ cells: ["1 / 0"], branches: ["1", "2"], seconds: 15 });
    expect(failed.branches).toEqual([null, null]);
    const wait = "import time\ntime.sleep(1.2)";
    const slow = await kernels.run({ cells: [wait, wait, "time.sleep(9)"], secondsPerCell: 2 });
    expect(slow.map(({ status }) => status)).toEqual(["ok", "ok", "timeout"]);
  });

  it("continues after an exception with `goOn`, and finds files in folders, also as ../input", async () => {
    const cells = [
      "1 / 0",
      "open('input/a.bin', 'rb').read()",
      "open('../input/a.bin').read() + open('b/c.txt').read()",
    ];
    const files = { "input/a.bin": { base64: "YQ==" }, "b/c.txt": "c" };
    expect(await kernels.run({ cells, files, goOn: true })).toMatchObject([
      { status: "error", error: "ZeroDivisionError" },
      { status: "ok", output: "b'a'" },
      { status: "ok", output: "'ac'" },
    ]);
  });

  it("runs shell lines", async () => {
    expect(await last("!echo hello")).toMatchObject({ status: "ok", output: "hello\r\n" });
  });

  it("stops at the first exception, and leaves warnings out of the output", async () => {
    const cells = await run("import sys\nprint('w', file=sys.stderr)\nprint(1)", "1 / 0", "2");
    expect(cells).toMatchObject([
      { status: "ok", output: "1\n" },
      { status: "error", error: "ZeroDivisionError", message: "division by zero" },
    ]);
  });

  it("has the files of the job, and can report the variables", async () => {
    const cells = ["n = len(open('a.csv').read())", "import os\nd = {'k': n}"];
    const [first, second] = await kernels.run({ cells, files: { "a.csv": "a\n1\n" }, inspect: true });
    expect(first!.variables).toEqual({ n: { type: "int", size: 28, value: "4" } });
    expect(Object.keys(second!.variables!)).toEqual(["d", "n"]);
    expect(second!.variables!.d).toEqual({ type: "dict", size: expect.any(Number), value: "{'k': 4}" });
    expect(second!.memory_bytes).toBeGreaterThan(10_000_000);
  });

  it("reports sizes in bytes, the columns of data frames, and a hash of the state", async () => {
    const cells = [
      "import pandas as pd\ndf = pd.DataFrame({'a': range(1000), 2: 0.5})\nlong = 'x' * 5000",
      "y = 1",
      "del y",
      "df.loc[0, 'a'] = 7",
    ];
    const ran = await kernels.run({ cells, inspect: true, seconds: 30 });
    const { df, long } = ran[0]!.variables!;
    expect(df).toMatchObject({ type: "DataFrame", columns: ["a", "2"] });
    expect(df!.size).toBeGreaterThan(16_000);
    expect(long!.value).toHaveLength(1000);
    const [first, second, third, fourth] = ran.map(({ state }) => state);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect([first === second, first === third, first === fourth]).toEqual([false, true, false]);
  });

  it("reports variables of any name, even if inspecting one fails", async () => {
    const cells = [
      "list = [1]\nlen = str = type = 2\nimport numpy as np\nzero = np.array(5)",
      "class Odd:\n  shape = property(lambda self: 1 / 0)\n  def __len__(self): raise ValueError\n  def __repr__(self): 1 / 0\nodd = Odd()",
      "del odd\nfor at in range(5000): globals()[f'v{at}'] = 'x' * 200",
    ];
    const [first, second, third] = await kernels.run({ cells, inspect: true, seconds: 30 });
    expect(first!.variables).toMatchObject({
      list: { type: "list", size: expect.any(Number), value: "[1]" },
      len: { type: "int", size: 28, value: "2" },
      zero: { type: "ndarray", size: expect.any(Number), value: "array(5)" },
    });
    expect(second!.variables!.odd).toEqual({ type: "Odd", size: expect.any(Number), value: "" });
    expect(second!.memory_bytes).toBeGreaterThan(10_000_000);
    expect(Object.keys(third!.variables!)).toHaveLength(1000);
  });

  it.each([true, false])("sums the usage of all processes of a cell, namespaces: %s", async (namespaces) => {
    const small = await openKernels({ python, jobs: 1, memoryBytes: 2 ** 30, namespaces, note });
    const fork = (count: number, work: string, seconds: number) =>
      `import os, time\nfor _ in range(${count}):\n  if os.fork() == 0:\n    ${work}time.sleep(${seconds})\n    os._exit(0)\ntime.sleep(${seconds})`;
    try {
      const each = await small.run({ cells: [fork(12, "b = b'x' * (150 * 2**20)\n    ", 60)], seconds: 30 });
      expect(each).toMatchObject([{ status: "memory" }]);
      // Memory that children share with their parent counts once.
      const shared = await small.run({ cells: ["b = b'x' * (150 * 2**20)", fork(12, "", 2)], seconds: 30 });
      expect(shared.map(({ status }) => status)).toEqual(["ok", "ok"]);
    } finally {
      await small.close();
    }
  });

  it("accepts the maximum number of files in a data folder", async () => {
    const content = { base64: Buffer.alloc(63 * 2 ** 20).toString("base64") };
    const code = "import os\nprint(os.path.getsize('a.bin'))";
    expect(await kernels.run({ cells: [code], files: { "a.bin": content }, seconds: 60 })).toMatchObject([
      { status: "ok", output: `${63 * 2 ** 20}\n` },
    ]);
  });

  it("shows nothing of the users of the machine", async ({ skip }) => {
    if (!kernels.isolation.files) return skip();
    const names =
      "import os, pwd\nprint([u.pw_name for u in pwd.getpwall()], pwd.getpwuid(os.getuid()).pw_dir == os.environ['HOME'])";
    expect(await last(names)).toMatchObject({ status: "ok", output: "['root', 'kernel'] True\n" });
  });

  it("hides its own environment variables and file descriptors from cells", async () => {
    const { output } = await last("import os\nos.write(1, b'{\"id\": 1}\\n')\nprint(sorted(os.environ))");
    expect(output).toContain("'HOME'");
    expect(output).not.toMatch(/CELREC|VITEST|npm_|NODE/);
  });

  it.each(HOSTILE)("survives a cell that %s", async (_, code, seconds, expected) => {
    expect(await last(code, seconds)).toMatchObject(expected);
    expect(await last("1 + 1")).toMatchObject({ status: "ok", output: "2" });
  });

  it("survives a cell that deletes its folder, and runs the cells after it", async () => {
    const cells = await run("import os, shutil\nshutil.rmtree(os.getcwd(), ignore_errors=True)", "1 + 1");
    expect(cells.at(-1)!.output).toBe("2");
  });

  it("keeps a cell in its sandbox, if the machine allows one", async ({ skip }) => {
    const { network, files, processes } = kernels.isolation;
    if (!network || !files || !processes) {
      console.warn(`skipped: this machine allows no sandbox (${JSON.stringify(kernels.isolation)})`);
      return skip();
    }
    writeFileSync(join(outside, "kept"), "as it was");
    const bomb = await last("import os\nwhile True: os.fork()", 8);
    expect(["processes", "timeout", "error"]).toContain(bomb.status);
    expect(await last(`open(${JSON.stringify(join(outside, "new"))}, 'w')`)).toMatchObject({
      error: "FileNotFoundError",
    });
    expect(await last("open('/usr/new', 'w')")).toMatchObject({ error: "OSError" });
    expect(await last(`import os\nos.remove(${JSON.stringify(join(outside, "kept"))})`)).toMatchObject({
      status: "error",
    });
    expect(await last(`open(${JSON.stringify(join(outside, "kept"))}).read()`)).toMatchObject({
      error: "FileNotFoundError",
    });
    expect(readdirSync(outside)).toEqual(["kept"]);
    expect(readFileSync(join(outside, "kept"), "utf8")).toBe("as it was");
    const socket = "import socket\nsocket.create_connection(('127.0.0.1', 22), timeout=2)";
    expect((await last(socket)).status).toBe("error");
    const started = "import subprocess\nsubprocess.Popen(['sleep', '98765'], start_new_session=True)\n0";
    expect(await last(started)).toMatchObject({ status: "ok" });
    expect(processesWith("98765")).toEqual([]);
  });
});

describe.skipIf(!hasKernels)("kernels on a machine without namespaces", () => {
  let kernels: Kernels;
  const notes: string[] = [];
  beforeAll(async () => {
    kernels = await openKernels({ python, jobs: 2, namespaces: false, note: (text) => notes.push(text) });
  });
  afterAll(() => kernels.close());

  const last = async (code: string, seconds = 15) => (await kernels.run({ cells: [code], seconds })).at(-1)!;

  it("reports that nothing is isolated", () => {
    expect(kernels.isolation).toMatchObject({ network: false, files: false, processes: false });
    expect(notes).toEqual([
      "This machine does not allow a complete sandbox: cells can reach its network, files, processes. Do not run untrusted code here.",
    ]);
  });

  it.each(HOSTILE)("survive a cell that %s", async (_, code, seconds, expected) => {
    expect(await last(code, seconds)).toMatchObject(expected);
    expect(await last("1 + 1")).toMatchObject({ status: "ok", output: "2" });
  });

  it("leave no processes or folders", async () => {
    const start = (seconds: number) =>
      `import os, subprocess\nprint(os.getcwd())\nsubprocess.Popen(['sleep', '${seconds}'], start_new_session=True)\n0`;
    const { output } = await last(start(98764));
    expect(processesWith("98764")).toEqual([]);
    expect(existsSync(output.split("\n")[0]!)).toBe(false);
    expect(await last(`${start(98763)}\nwhile True: pass`, 3)).toMatchObject({ status: "timeout" });
    expect(processesWith("98763")).toEqual([]);
  });
});

function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    const file = `/proc/${pid}/cmdline`;
    return /^\d+$/.test(pid) && existsSync(file) && readText(file).includes(word);
  });
}

/** A process may end during the check. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
