import { expect, it } from "vitest";
import { defaultDiversity, defaultMinConfidence, presetDefaults } from "../../src/recommend/request.js";

it("leaves to the paper what the paper does, and to others what helps those who type", () => {
  expect(presetDefaults("paper")).toEqual({ filter: "strict", mode: "similar", collapse: false });
  expect(presetDefaults("default")).toEqual({ filter: "soft", mode: "auto", collapse: true });
});

it("wants some confidence only where nobody named a mode", () => {
  expect((["auto", "complete", "next", "similar"] as const).map(defaultMinConfidence)).toEqual([0.1, 0, 0, 0]);
});

it("spreads hits out where something new is wanted", () => {
  expect((["similar", "complete", "next", "markdown"] as const).map(defaultDiversity)).toEqual([0, 0.5, 0.3, 0.3]);
});
