import { describe, expect, it } from "vitest";
import { createLackCheck } from "../../src/recommend/missing-names.js";

describe("createLackCheck", () => {
  it("tells insertions that need names which exist nowhere", () => {
    const check = createLackCheck("df.head()", { before: ["import numpy as np"], variables: { model: "SVC" } });
    expect(check("", false)).toBeNull();
    expect(check("x = np.sum(df)\nmodel.fit(x)\nprint(x)", false)).toBe("nothing");
    expect(check("model.fit(X_train)", false)).toBe("names");
    expect(check("df.plot(ax=ax)", false)).toBe("names");
    expect(createLackCheck("df.isn", { before: ["df = 1"] })("ull().sum()", true)).toBe("nothing");
  });

  it("misses nothing where the notebook is unknown", () => {
    expect(createLackCheck("df.head()", {})("model.fit(X)", false)).toBe("nothing");
  });
});
