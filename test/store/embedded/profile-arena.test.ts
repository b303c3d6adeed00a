import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { profileCell } from "../../../src/python/profile.js";
import {
  createProfileArena,
  hasProfiles,
  loadProfiles,
  saveProfiles,
} from "../../../src/store/embedded/profile-arena.js";
import { createSnapshots } from "../../../src/store/embedded/snapshots.js";
import { packProfile } from "../../../src/store/profile-pack.js";

const pack = (code: string) => packProfile(profileCell(code));
const A = pack("df = pd.read_csv('a.csv')");
const B = pack("plt.show()");
const plain = (bytes: Uint8Array | null) => bytes && [...bytes];

describe("createProfileArena", () => {
  it("returns what was packed, each aligned to 4 bytes", () => {
    const arena = createProfileArena();
    arena.set(7, A);
    arena.set(70_000, B);
    expect([plain(arena.get(7)), plain(arena.get(70_000)), arena.get(8)]).toEqual([[...A], [...B], null]);
    expect([arena.get(7)!.byteOffset % 4, arena.get(70_000)!.byteOffset % 4]).toEqual([0, 0]);
    expect(arena.get(7)!.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it("replaces, removes, and rejects profiles that are damaged or do not fit", () => {
    const damaged = A.slice();
    damaged[40]! ^= 1;
    const arena = createProfileArena(Math.ceil(A.length / 4) * 4 + Math.ceil(B.length / 4) * 4);
    arena.set(1, damaged);
    arena.set(2, A);
    arena.set(2, B);
    expect([arena.get(1), plain(arena.get(2)), arena.rows()]).toEqual([null, [...B], [2]]);
    arena.set(3, B);
    expect(arena.get(3)).toBeNull();
    arena.delete(2);
    expect([arena.get(2), arena.rows()]).toEqual([null, []]);
  });

  it("is loaded from its file up to the row that the file covers, and not from a damaged file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "celrec-"));
    const snapshots = createSnapshots(folder);
    const state = { index: "aa", generation: "bb", commits: 3, pruned: 0 } as Parameters<typeof loadProfiles>[1];
    const arena = createProfileArena();
    for (const [row, packed] of [[1, A], [5, B], [9, A]] as const) arena.set(row, packed); // biome-ignore format: a table
    await saveProfiles(snapshots, { index: "aa", generation: "bb", commits: 3, row: 5, removal: 0 }, arena);
    expect(hasProfiles(snapshots, state)).toBe(true);
    const loaded = (await loadProfiles(snapshots, state))!;
    expect([loaded.rows(), plain(loaded.get(5))]).toEqual([[1, 5], [...B]]);
    const file = join(folder, readdirSync(folder)[0]!);
    const bytes = readFileSync(file);
    bytes[20]! ^= 1;
    writeFileSync(file, bytes);
    expect(await loadProfiles(snapshots, state)).toBeNull();
    rmSync(folder, { recursive: true });
  });
});
