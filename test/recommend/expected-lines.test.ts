import { describe, expect, it } from "vitest";
import { createExpectedCheck } from "../../src/recommend/expected-lines.js";

describe("the check of expected lines", () => {
  const chanceOf = createExpectedCheck([
    { text: "df.info()", confidence: 0.3 },
    { text: 'df["Age"].hist(bins=10)', confidence: 0.1 },
  ]);

  it.each([
    ["df.info()", 0.3],
    ["df.info()\ndf.describe()", 0.3],
    ["# what there is\nimport pandas as pd\n\ndf.info()  # types", 0.3],
    ["df['Age'].hist(bins = 10)", 0.1],
    ["df.describe()\ndf.info()", 0],
    ["other.info()", 0],
    ["# nothing", 0],
    ["", 0],
  ])("%j starts as expected with a chance of %d", (code, chance) => {
    expect(chanceOf(code)).toBe(chance);
  });

  it("expects nothing without lines", () => {
    expect(createExpectedCheck([])("df.info()")).toBe(0);
  });
});
