import { describe, expect, it } from "vitest";
import { profileCell } from "../../src/recommend/features/profile.js";
import { createProfiles } from "../../src/recommend/profiles.js";

const CODES = { a: "df.head()", b: "model.fit(X, y)", c: "plt.show()" } as const;
type Id = keyof typeof CODES;

/** Knows the cells above, and notes what it was asked for. */
function createReader() {
  const asked: string[][] = [];
  const read = async (ids: readonly string[]) => {
    asked.push([...ids]);
    return ids.flatMap((id) => (id in CODES ? [{ id, code: CODES[id as Id] }] : []));
  };
  return { asked, read };
}

describe("createProfiles", () => {
  it("asks once for what it lacks, and leaves unknown cells out", async () => {
    const profiles = createProfiles(1e6);
    const { asked, read } = createReader();
    await profiles.find(["a"], read);
    const found = await profiles.find(["a", "b", "gone"], read);
    expect([...found]).toEqual([
      ["a", profileCell(CODES.a)],
      ["b", profileCell(CODES.b)],
    ]);
    await profiles.find(["b", "a"], read);
    expect(asked).toEqual([["a"], ["b", "gone"]]);
  });

  it("gives everything that was asked for, also where it forgets it at once", async () => {
    const profiles = createProfiles(1);
    const { asked, read } = createReader();
    expect([...(await profiles.find(["a", "b", "c"], read)).keys()]).toEqual(["a", "b", "c"]);
    await profiles.find(["a"], read);
    expect(asked).toEqual([["a", "b", "c"], ["a"]]);
  });

  it("gives what it knew when it was asked, though others push it out meanwhile", async () => {
    const one = 1200;
    const profiles = createProfiles(one);
    expect(profiles.learn("a", CODES.a)).toBe(true);
    const { read } = createReader();
    const found = await profiles.find(["a", "b"], async (ids) => {
      await profiles.find(["c"], read);
      return read(ids);
    });
    expect([...found.keys()]).toEqual(["a", "b"]);
  });

  it("learns until it is full", () => {
    const profiles = createProfiles(2500);
    expect([profiles.learn("a", CODES.a), profiles.learn("b", CODES.b), profiles.learn("c", CODES.c)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
