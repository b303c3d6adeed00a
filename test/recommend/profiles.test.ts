import { describe, expect, it } from "vitest";
import { profileCell } from "../../src/python/profile.js";
import { createProfiles, type ProfileSource } from "../../src/recommend/profiles.js";
import { packProfile } from "../../src/store/profile-pack.js";

const CODES = { a: "df.head()", b: "model.fit(X, y)", c: "plt.show()" } as const;
type Id = keyof typeof CODES;

/** A store with the cells above and these profiles, which records the requests. */
function createSource(kept: Readonly<Record<string, Uint8Array>> = {}) {
  const asked: string[][] = [];
  const source: ProfileSource = {
    async profiles(ids) {
      return new Map(ids.flatMap((id) => (id in kept ? [[id, kept[id]!] as const] : [])));
    },
    async cells(ids) {
      asked.push([...ids]);
      return ids.flatMap((id) =>
        id in CODES ? [{ id, code: CODES[id as Id], clean: CODES[id as Id], labels: [], primary: null }] : [],
      );
    },
  };
  return { asked, source };
}

describe("createProfiles", () => {
  it("requests missing profiles once, and skips unknown cells", async () => {
    const profiles = createProfiles(1e6);
    const { asked, source } = createSource();
    await profiles.find(["a"], source);
    const found = await profiles.find(["a", "b", "gone"], source);
    expect([...found]).toEqual([
      ["a", packProfile(profileCell(CODES.a))],
      ["b", packProfile(profileCell(CODES.b))],
    ]);
    await profiles.find(["b", "a"], source);
    expect(asked).toEqual([["a"], ["b", "gone"]]);
  });

  it("uses stored profiles, and computes missing ones from the code", async () => {
    const { asked, source } = createSource({ a: packProfile(profileCell("something.else()")) });
    const found = await createProfiles(1e6).find(["a", "b"], source);
    expect([...found]).toEqual([
      ["a", packProfile(profileCell("something.else()"))],
      ["b", packProfile(profileCell(CODES.b))],
    ]);
    expect(asked).toEqual([["b"]]);
  });

  it("returns all requested profiles, even if the cache is too small for them", async () => {
    const profiles = createProfiles(1);
    const { asked, source } = createSource();
    expect([...(await profiles.find(["a", "b", "c"], source)).keys()]).toEqual(["a", "b", "c"]);
    await profiles.find(["a"], source);
    expect(asked).toEqual([["a", "b", "c"], ["a"]]);
  });

  it("returns entries that were cached at the call, even if they are evicted meanwhile", async () => {
    const profiles = createProfiles(1200);
    const { source } = createSource();
    await profiles.find(["a"], source);
    const found = await profiles.find(["a", "b"], {
      async cells(ids) {
        await profiles.find(["c"], source);
        return source.cells(ids);
      },
    });
    expect([...found.keys()]).toEqual(["a", "b"]);
  });
});
