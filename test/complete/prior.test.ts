import { describe, expect, it } from "vitest";
import { sortContexts } from "../../src/complete/context-index.js";
import { buildPrior, createPriorTrie } from "../../src/complete/prior.js";

/** Three authors write the tokens 1 2, and one of them also writes 1 3. */
const stream = Int32Array.from([1, 2, 0, 1, 2, 0, 1, 2, 1, 3, 1, 3, 0]);
const authors = Int32Array.from([0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2]);
const build = (minAuthors: number, isAllowed: (id: number) => boolean = () => true) =>
  createPriorTrie(
    buildPrior(sortContexts(stream, 4, new Int32Array(0)), {
      authors,
      minAuthors,
      maxOrder: 3,
      isAllowed,
      wrap: 9,
    }),
  );
const following = (trie: ReturnType<typeof build>, context: number[]) => {
  const node = trie.walk(context).at(-1)!;
  const { from, to } = trie.continuations(node);
  return [...trie.targets.subarray(from, to)];
};

describe("the prior", () => {
  it("keeps only continuations of enough authors", () => {
    expect(following(build(3), [1])).toEqual([2]);
  });

  it("keeps everything if one author is enough", () => {
    expect(following(build(1), [1])).toEqual([2, 3]);
  });

  it("contains only allowed tokens", () => {
    expect([...build(1, (id) => id !== 3).targets]).not.toContain(3);
  });

  it("knows only the root for an unseen context", () => {
    expect(build(3).walk([7])).toEqual([0]);
  });
});
