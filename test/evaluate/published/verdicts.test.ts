import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type Agreement, checkVerdicts } from "../../../scripts/check-verdicts.js";
import { requires, sharedData } from "../../require.js";

/**
 * Verdicts of the original programs (ExeDS's rules, JuICe's with Python 3.7 and astor 0.7.1, codebleu 0.7) on our own
 * cells.
 */
const own = fileURLToPath(new URL("./verdicts", import.meta.url));
const shared = join(sharedData, "reference");
const hasShared = requires("shared", existsSync(shared), `verdicts are read from ${shared}`);

const missed = (agreements: readonly Agreement[]) =>
  agreements.filter(({ agree, total, atLeast }) => agree < atLeast * total).map(({ name }) => name);

describe("checkVerdicts", () => {
  const folder = mkdtempSync(join(tmpdir(), "celrec-verdicts-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("agrees with every verdict on our own cells", async () => {
    const agreements = await checkVerdicts(own);
    expect(agreements.filter(({ agree, total }) => agree < total)).toEqual([]);
    expect(Object.fromEntries(agreements.map(({ name, total }) => [name, total]))).toMatchObject({
      "output-em-published": 20,
      "output-em-published (every type)": 120,
      "api-sequence": 24,
      "canonical-tokens": 24,
      codebleu: 10,
      "codebleu data flow": 10,
      "codebleu-published": 10,
      "bleu (all cells)": 1,
      chrf: 10,
      "rouge-l": 10,
    });
  });

  it("counts a verdict that differs", async () => {
    const lines = readFileSync(join(own, "output-pairs.jsonl"), "utf8").split("\n");
    const wrong = { ...JSON.parse(lines[0]!), match: false };
    writeFileSync(join(folder, "output-pairs.jsonl"), [JSON.stringify(wrong), ...lines.slice(1)].join("\n"));
    const agreements = await checkVerdicts(folder);
    expect(agreements[0]).toEqual({ name: "output-em-published", agree: 19, total: 20, atLeast: 1 });
    expect(missed(agreements)).toEqual(["output-em-published"]);
  });

  it("refuses a file in no known form", async () => {
    const other = join(folder, "other");
    cpSync(own, other, { recursive: true });
    writeFileSync(join(other, "notes.jsonl"), '{"note": "x"}\n');
    await expect(checkVerdicts(other)).rejects.toThrow("notes.jsonl contains no verdicts in a known format");
  });

  it.skipIf(!hasShared)("agrees with the shared verdicts of the authors' programs", async () => {
    const agreements = await checkVerdicts(shared);
    expect(missed(agreements)).toEqual([]);
    expect(agreements.map(({ name }) => name)).toContain("codebleu data flow");
  });
});
