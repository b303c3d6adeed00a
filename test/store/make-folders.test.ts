import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeFolders } from "../../src/store/make-folders.js";

it("makes a folder with those above it, once", () => {
  const folder = mkdtempSync(join(tmpdir(), "celrec-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  makeFolders(join(folder, "a", "b"));
  makeFolders(join(folder, "a", "b"));
  expect(existsSync(join(folder, "a", "b"))).toBe(true);
});

it.runIf(existsSync("/proc"))("fails where the system makes no folders", () => {
  expect(() => makeFolders("/proc/celrec/index")).toThrow(/ENOENT/);
});
