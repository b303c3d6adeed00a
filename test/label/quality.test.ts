import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import insertComments from "../../mutators/insert-comments.js";
import renameVariables from "../../mutators/rename-variables.js";
import reverseLines from "../../mutators/reverse-lines.js";
import { createLabeller } from "../../src/label/create-labeller.js";
import type { LabelHead } from "../../src/label/labeller.js";
import { filledLines, strip } from "../../src/python/strip.js";
import { requires, sharedData } from "../require.js";

const FILE = join(sharedData, "labelled/cells.jsonl");
const available = requires("shared", existsSync(FILE), "../shared/data/labelled/cells.jsonl");

interface Cell {
  readonly source: string;
  readonly label: readonly string[];
  readonly notebook: string;
}

/** The notebooks that scripts/train-labels.py keeps out while it measures. */
const isHeldOut = ({ notebook }: Cell) =>
  BigInt(`0x${createHash("sha256").update(notebook).digest("hex")}`) % 8n === 0n;

// The shipped model was finally trained on these cells, too, so this test only detects damage. The model card has the
// figures for unseen cells.
describe.skipIf(!available)("the labeller on labelled notebooks", () => {
  const cells = available
    ? readFileSync(FILE, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Cell)
    : [];
  const held = cells.filter(isHeldOut);
  const labeller = createLabeller();
  const setOf = (source: string, head: LabelHead = "cell") =>
    labeller
      .label(strip(source).text, head)
      .labels.map(({ label }) => label)
      .sort();
  const truthOf = ({ label }: Cell) => label.filter((name) => name !== "None").sort();

  it("finds the labels", () => {
    const pairs = held.map((cell) => [setOf(cell.source), truthOf(cell)] as const);
    const found = pairs.reduce((sum, [guess, truth]) => sum + guess.filter((label) => truth.includes(label)).length, 0);
    const all = pairs.reduce((sum, [guess, truth]) => sum + guess.length + truth.length, 0);
    expect((2 * found) / all).toBeGreaterThan(0.97);
    expect(share(pairs, ([guess, truth]) => guess.join() === truth.join())).toBeGreaterThan(0.95);
  });

  it("keeps the label set when names change and lines are mangled", () => {
    const renamed = share(held, ({ source }) => setOf(source).join() === setOf(renameVariables.apply(source)).join());
    const mangled = share(held, ({ source }) => {
      const mutant = reverseLines.apply(insertComments.apply(renameVariables.apply(source)));
      return setOf(source).join() === setOf(mutant).join();
    });
    expect(renamed).toBeGreaterThan(0.98);
    expect(mangled).toBeGreaterThan(0.97);
  });

  it("keeps a true label possible for almost every prefix, and filters out much of the library", () => {
    const library = cells.map(truthOf);
    const prefixes = held.flatMap((cell) => {
      const lines = filledLines(cell.source);
      return lines.length < 3 ? [] : lines.map((_, at) => ({ cell, text: lines.slice(0, at + 1).join("\n") }));
    });
    const asked = prefixes.map(({ cell, text }) => ({
      truth: truthOf(cell),
      possible: labeller.label(strip(text).text, "prefix").possible,
    }));
    const meets = (truth: readonly string[], labels: readonly string[]) =>
      truth.length === 0 || truth.some((label) => labels.includes(label));
    const kept = asked.map(({ possible }) => share(library, (truth) => meets(truth, possible)));
    expect(share(asked, ({ truth, possible }) => meets(truth, possible))).toBeGreaterThan(0.985);
    expect(kept.reduce((sum, one) => sum + one, 0) / kept.length).toBeLessThan(0.7);
  });
});

function share<T>(list: readonly T[], holds: (item: T) => boolean): number {
  return list.filter(holds).length / list.length;
}
