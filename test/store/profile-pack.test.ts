import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileCell } from "../../src/python/profile.js";
import { packProfile, unpackProfile } from "../../src/store/profile-pack.js";

const MANY_WORDS = Array.from({ length: 400 }, (_, n) => `first${n} = second${n}.third(${n})`).join("\n");

describe("a packed profile", () => {
  it.each([
    ["nothing", ""],
    ["a call", "# read it\ndf = pd.read_csv('a.csv')\ndf.head()"],
    ["more than 256 words", MANY_WORDS],
    ["a magic", "%matplotlib inline"],
  ])("comes back as it was: %s", (_, code) => {
    const profile = profileCell(code);
    expect(unpackProfile(packProfile(profile))).toEqual(profile);
  });

  it("survives a round trip for any text and any byte offset", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), fc.nat(7), (code, offset) => {
        const packed = packProfile(profileCell(code));
        const shifted = new Uint8Array(packed.length + offset);
        shifted.set(packed, offset);
        expect(unpackProfile(shifted.subarray(offset))).toEqual(profileCell(code));
      }),
      { seed: 1 },
    );
  });

  it("is null if a byte differs, or some are missing", () => {
    const packed = packProfile(profileCell("df = pd.read_csv('a.csv')"));
    for (let at = 0; at < packed.length; at += 1) {
      const damaged = packed.slice();
      damaged[at]! ^= 4;
      expect(unpackProfile(damaged)).toBeNull();
      expect(unpackProfile(packed.subarray(0, at))).toBeNull();
    }
  });
});
