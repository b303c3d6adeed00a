import { execFileSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { openJedi } from "../../../../src/evaluate/suites/cursor/cursor-baselines.js";
import { requires } from "../../../require.js";

const python = process.env.CELREC_TEST_PYTHON ?? "python3";
const hasJedi = requires("python", canImport(), "pip install jedi");

describe("jedi", () => {
  it.runIf(hasJedi)("completes names of modules that are imported above, and survives broken code", async () => {
    const jedi = await openJedi(python, process.env.PATH);
    onTestFinished(() => jedi.close());
    expect(jedi.version).toMatch(/^\d+\.\d+/);
    expect(await jedi.complete("import textwrap\ntextwrap.ded", 3)).toEqual(["ent"]);
    expect(await Promise.all(["x = 1\nx.bit_le", "def (:::\n", ""].map((code) => jedi.complete(code, 1)))).toEqual([
      ["ngth"],
      [expect.any(String)],
      [expect.any(String)],
    ]);
  });

  it("reports what to install if jedi is missing", async () => {
    await expect(openJedi("no-such-python")).rejects.toThrow(
      /^no-such-python cannot run jedi: .*ENOENT.*\. Install it with: pip install jedi, and select that Python with --python\.$/,
    );
  });
});

function canImport(): boolean {
  try {
    execFileSync(python, ["-c", "import jedi"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
