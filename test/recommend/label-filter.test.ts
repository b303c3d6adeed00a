import { describe, expect, it } from "vitest";
import { chooseFilter } from "../../src/recommend/label-filter.js";
import { presetDefaults } from "../../src/recommend/preset.js";

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
  ] as const)("%s with the label %s", (mode, label, query, expected) => {
    expect(chooseFilter(query, mode, label)).toEqual(expected);
  });
});

describe("presetDefaults", () => {
  it("is strict and shows all for the paper, soft and collapsed otherwise", () => {
    expect(presetDefaults("paper")).toMatchObject({ filter: "strict", collapse: false });
    expect(presetDefaults("default")).toMatchObject({ filter: "soft", collapse: true });
  });
});
