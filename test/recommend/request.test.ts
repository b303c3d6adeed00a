import { expect, it } from "vitest";
import { defaultDiversity, defaultMinConfidence, presetDefaults } from "../../src/recommend/request.js";

it("uses the paper's settings with its preset, and typing defaults otherwise", () => {
  expect(presetDefaults("paper")).toEqual({ filter: "strict", mode: "similar", collapse: false });
  expect(presetDefaults("default")).toEqual({ filter: "soft", mode: "auto", collapse: true });
});

it("has a minimum confidence only in mode auto", () => {
  expect((["auto", "complete", "next", "similar"] as const).map(defaultMinConfidence)).toEqual([0.1, 0, 0, 0]);
});

it("diversifies hits in the modes complete and next", () => {
  expect((["similar", "complete", "next", "markdown"] as const).map(defaultDiversity)).toEqual([0, 0.5, 0.3, 0.3]);
});
