import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createModelLabeller, parseModel } from "../../src/label/model-labeller.js";

/** One split on `calls fit`, and a linear weight for `statements`. */
const PART = {
  head: "cell",
  label: "train_model",
  threshold: 0.5,
  possible: 0.05,
  calibration: [2, 0.5],
  linear: { bias: -1, feature: [1], weight: [0.5] },
  trees: { starts: [0], feature: [0, -1, -1], threshold: [0.5, 0, 0], skip: [2, 0, 0], value: [0.2, -1, 3] },
};
const PARTS = [PART, { ...PART, head: "prefix" }];

/** A part that is a string is copied to the text. */
function modelText(parts: readonly unknown[] = PARTS, header: Record<string, unknown> = {}): string {
  const body = parts.map((part) => `${typeof part === "string" ? part : JSON.stringify(part)}\n`).join("");
  const sha256 = createHash("sha256").update(body).digest("hex");
  const features = ["calls fit", "statements"];
  return `${JSON.stringify({ format: 1, labels: ["train_model"], features, sha256, ...header })}\n${body}`;
}

describe("parseModel", () => {
  it("reads the fields that it needs", () => {
    const model = parseModel(modelText(), "m");
    expect(model.labels).toEqual(["train_model"]);
    expect(model.parts.prefix[0]!.trees.value).toEqual([0.2, -1, 3]);
  });

  const trees = (change: Record<string, unknown>) => modelText([{ ...PART, trees: { ...PART.trees, ...change } }]);
  it.each([
    ["", /m, line 1: not JSON/],
    ["{}", /m, line 1: format: /],
    [modelText(["{"]), /m, line 2: not JSON/],
    [
      modelText().replace('{"head"', '{"head'),
      /m, line 1: the sha-256 of the following lines is \w{64}, not \w{64}; install/,
    ],
    [modelText([{ ...PART, threshold: "x" }]), /m, line 2: threshold: /],
    [modelText([PART]), /m, line 1: no part for train_model, head prefix/],
    [modelText([{ ...PART, label: "other" }]), /m, line 2: label: other is not in the header/],
    [modelText(PARTS, { sha256: "0" }), /m, line 1: the sha-256 of the following lines is \w+, not 0/],
    [trees({ feature: [7, -1, -1] }), /m, line 2: a feature is not in the header/],
    [trees({ skip: [3, 0, 0] }), /m, line 2: trees.skip: there is no such node/],
    [trees({ skip: [0, 0, 0] }), /m, line 2: trees.skip: there is no such node/],
    [trees({ starts: [3] }), /m, line 2: trees.starts: there is no such node/],
    [trees({ value: [1] }), /m, line 2: trees: the lists differ in length/],
  ])("names line and reason %#", (text, message) => {
    expect(() => parseModel(text, "m")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(() => parseModel(text, "m")).toThrow(message);
  });
});

describe("createModelLabeller", () => {
  const labeller = createModelLabeller(parseModel(modelText(), "m"), []);

  it("averages linear model and trees and calibrates the mean", () => {
    // One statement counts log2(1 + 1) = 1: linear -1 + .5, tree 3, mean 1.25, calibrated 2 * 1.25 + .5 = 3.
    const { probabilities } = labeller.label("m.fit(x)", "cell");
    expect(probabilities.train_model).toBeCloseTo(1 / (1 + Math.exp(-3)), 12);
    expect(labeller.label("m.fit(x)", "cell").primary).toBe("train_model");
    expect(labeller.label("m.fat(x)", "cell").labels).toEqual([]);
  });

  it("explains the logit by the features that made it", () => {
    const [explained] = labeller.explain("m.fit(x)", "cell");
    expect(explained!.base).toBeCloseTo(2 * 0.5 * (-1 + 0.2) + 0.5, 12);
    expect(explained!.contributions.map(({ feature }) => feature)).toEqual(["calls fit", "statements"]);
    expect(explained!.contributions[0]!.amount).toBeCloseTo(2.8, 12);
    expect(explained!.contributions[1]!.amount).toBeCloseTo(0.5, 12);
    expect(labeller.explain("m.fat(x)", "cell")[0]!.contributions[0]!.feature).toBe("no calls fit");
  });
});
