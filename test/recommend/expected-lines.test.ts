import { describe, expect, it } from "vitest";
import { profileCell } from "../../src/python/profile.js";
import { createMayExpect, createStartProbability } from "../../src/recommend/expected-lines.js";
import { packProfile } from "../../src/store/profile-pack.js";

describe("the check of expected lines", () => {
  const chanceOf = createStartProbability([
    { text: "df.info()", confidence: 0.3 },
    { text: 'df["Age"].hist(bins=10)', confidence: 0.1 },
    { text: "import seaborn as sns", confidence: 0.2 },
  ]);

  it.each([
    ["df.info()", 0.3],
    ["df.info()\ndf.describe()", 0.3],
    ["# what there is\nimport pandas as pd\n\ndf.info()  # types", 0.3],
    ["df['Age'].hist(bins = 10)", 0.1],
    ["df.describe()\ndf.info()", 0],
    ["import numpy as np\nimport seaborn as sns\nf()", 0.2],
    ["import seaborn as sns\ndf.info()", 0.3],
    ["f()\nimport seaborn as sns", 0],
    ["other.info()", 0],
    ["# nothing", 0],
    ["", 0],
  ])("%j starts as expected with a chance of %d", (code, chance) => {
    expect(chanceOf(code)).toBe(chance);
  });

  it("expects nothing without lines", () => {
    expect(createStartProbability([])("df.info()")).toBe(0);
  });

  it("a cell without the calls of a line is not read; its names may differ", () => {
    const mayExpect = createMayExpect([{ text: "df.info()", confidence: 0.3 }]);
    expect(["sales.info()", "df.head()", "info = 1"].map((code) => mayExpect(packProfile(profileCell(code))))).toEqual([
      true,
      false,
      true,
    ]);
    expect(mayExpect(undefined)).toBe(true);
  });
});
