import { describe, expect, it } from "vitest";
import { chooseFilter } from "../../src/recommend/filters.js";
import { presetDefaults } from "../../src/recommend/request.js";
import { passesFilter } from "../../src/store/vector-store.js";

const labelling = {
  primary: "train",
  labels: [{ label: "train", probability: 0.9 }],
  probabilities: { load: 0.1, train: 0.9 },
  possible: ["train", "load"],
};
const unlabelled = { ...labelling, primary: null, labels: [], possible: ["load"] };

describe("chooseFilter", () => {
  it.each([
    ["strict", undefined, labelling, { field: "primary", any: ["train"], unlabelled: false }],
    ["soft", undefined, labelling, { field: "labels", any: ["train", "load"], unlabelled: true }],
    ["off", undefined, labelling, undefined],
    ["strict", undefined, unlabelled, undefined],
    ["soft", undefined, unlabelled, undefined],
    ["off", "load", labelling, { field: "labels", any: ["load"], unlabelled: false }],
    ["strict", "load", unlabelled, { field: "labels", any: ["load"], unlabelled: false }],
  ] as const)("chooses the filter for the mode %s with the label %s", (mode, label, query, expected) => {
    expect(chooseFilter(query, mode, label)).toEqual(expected);
  });
});

describe("passesFilter", () => {
  const cell = (labels: string[], primary: string | null) => ({ id: "", code: "", clean: "", labels, primary });
  it.each([
    ["labels", false, cell(["load", "train"], "load"), true],
    ["labels", false, cell(["load"], "load"), false],
    ["labels", true, cell([], null), true],
    ["labels", false, cell([], null), false],
    ["primary", false, cell(["load", "train"], "load"), false],
    ["primary", false, cell(["load", "train"], "train"), true],
    ["primary", false, cell([], null), false],
  ] as const)("checks a cell by %s, with unlabelled %s: %j", (field, unlabelled, stored, expected) => {
    expect(passesFilter({ field, any: ["train"], unlabelled }, stored)).toBe(expected);
  });
});

describe("presetDefaults", () => {
  it("is strict without collapsing for the paper's preset, soft and collapsed otherwise", () => {
    expect(presetDefaults("paper")).toEqual({ filter: "strict", mode: "similar", collapse: false });
    expect(presetDefaults("default")).toEqual({ filter: "soft", mode: "auto", collapse: true });
  });
});
