import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeFolders, readRegularFile } from "../../src/notebook/file-system.js";

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "celrec-file-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const reasonOf = (path: string, largest?: number) => {
  const read = readRegularFile(path, largest);
  return "rejected" in read ? read.rejected.reason : read.bytes.toString();
};

describe("readRegularFile", () => {
  it("reads a file, also an empty one and one whose name is bytes", () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "a"), "text");
    writeFileSync(join(folder, "b"), "");
    const name = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]);
    writeFileSync(name, "bytes");
    expect(readRegularFile(join(folder, "a"))).toEqual({ bytes: Buffer.from("text") });
    expect(readRegularFile(join(folder, "b"))).toEqual({ bytes: Buffer.from("") });
    expect(readRegularFile(new Uint8Array(name))).toEqual({ bytes: Buffer.from("bytes") });
  });

  it("reports what is not a file, and does not block on it", async () => {
    const folder = makeFolder();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const server = createServer().listen(join(folder, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    expect(reasonOf(join(folder, "pipe"))).toBe("a named pipe, not a file");
    expect(reasonOf(join(folder, "socket"))).toBe("a socket, not a file");
    expect(reasonOf(folder)).toBe("a folder, not a file");
    expect(reasonOf("/dev/zero")).toBe("a device, not a file");
    expect(reasonOf(join(folder, "gone"))).toMatch(/^cannot be read: ENOENT/);
  });

  it("checks the size before reading", () => {
    const file = join(makeFolder(), "a");
    writeFileSync(file, "x".repeat(3 * 2 ** 20));
    expect(reasonOf(file, 2 ** 20)).toBe("3 MB, over the limit of 1 MB");
    expect(reasonOf(file, 3 * 2 ** 20)).toHaveLength(3 * 2 ** 20);
  });
});

it("creates a folder with its parents", () => {
  const folder = mkdtempSync(join(tmpdir(), "celrec-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  makeFolders(join(folder, "a", "b"));
  makeFolders(join(folder, "a", "b"));
  expect(existsSync(join(folder, "a", "b"))).toBe(true);
});

it.runIf(existsSync("/proc"))("fails if the system makes no folders", () => {
  expect(() => makeFolders("/proc/celrec/index")).toThrow(/ENOENT/);
});
