import { describe, expect, it } from "vitest";
import { countWords, createWordLikeness } from "../../src/similar/notebook-words.js";

describe("the words of a notebook", () => {
  it("are its names and the words of its strings and comments, without Python's own", () => {
    const counts = countWords(['for row in rows:  # each row\n    print(row["price"])', "x = train_df.price"]);
    expect([...counts]).toEqual([
      ["row", 3],
      ["rows", 1],
      ["each", 1],
      ["price", 2],
      ["train_df", 1],
    ]);
  });

  it("are like themselves, unlike others, and the liker the rarer what they share is", () => {
    const [one, two, three, four] = [
      countWords(["shared common alpha"]),
      countWords(["shared common beta"]),
      countWords(["common gamma delta"]),
      countWords(["epsilon"]),
    ];
    const likeness = createWordLikeness([one!, two!, three!, four!]);
    expect([likeness(one!, one!), likeness(one!, four!)]).toEqual([1, 0]);
    expect(likeness(one!, two!)).toBeGreaterThan(2 * likeness(one!, three!));
    expect(likeness(one!, two!)).toBe(likeness(two!, one!));
  });
});
