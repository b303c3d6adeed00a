import { mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashFiles } from "../../src/embed/model-folder.js";

describe("hashFiles", () => {
  const LARGE = 33 * 1024 * 1024;
  let folder: string;
  let cache: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "celrec-revision-"));
    cache = join(folder, "cache");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(name: string, content: string, size = content.length): Promise<string> {
    await writeFile(join(folder, name), content);
    await truncate(join(folder, name), size);
    return join(folder, name);
  }

  it("depends on the content and the order of the files, not on their names", async () => {
    const [a, b, sameAsA] = [await write("a", "one"), await write("b", "two"), await write("c", "one")];
    expect(await hashFiles([a, b], cache)).toBe(await hashFiles([sameAsA, b], cache));
    expect(await hashFiles([a, b], cache)).not.toBe(await hashFiles([b, a], cache));
  });

  it("remembers a large file only, and notices when it changes", async () => {
    const small = await write("small", "x");
    const before = await hashFiles([await write("large", "x", LARGE), small], cache);
    const remembered = await readdir(join(cache, "checksums"));
    expect(remembered).toHaveLength(1);
    expect(await hashFiles([join(folder, "large"), small], cache)).toBe(before);
    // The cached checksum is used: replacing it changes the revision.
    await writeFile(join(cache, "checksums", remembered[0]!), "0".repeat(64));
    expect(await hashFiles([join(folder, "large"), small], cache)).not.toBe(before);
    const changed = await hashFiles([await write("large", "y", LARGE), small], cache);
    expect(changed).not.toBe(before);
    expect(await readdir(join(cache, "checksums"))).toHaveLength(2);
  });

  it("works without a cache folder that can be written", async () => {
    const large = await write("large", "x", LARGE);
    await writeFile(cache, "a file, not a folder");
    expect(await hashFiles([large], cache)).toMatch(/^[0-9a-f]{12}$/);
  });
});
