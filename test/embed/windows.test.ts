import { describe, expect, it } from "vitest";
import { splitWindows } from "../../src/embed/windows.js";

describe("splitWindows", () => {
  it.each([
    { title: "no tokens", ids: [], size: 3, windows: [] },
    { title: "fewer than fit", ids: [1, 2], size: 3, windows: [[1, 2]] },
    { title: "exactly one window", ids: [1, 2, 3], size: 3, windows: [[1, 2, 3]] },
    { title: "one more", ids: [1, 2, 3, 4], size: 3, windows: [[1, 2, 3], [4]] },
  ])("cuts $title", ({ ids, size, windows }) => {
    expect(splitWindows(ids, size)).toEqual(windows);
  });
});
