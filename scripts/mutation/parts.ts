export interface Part {
  readonly mutate: readonly string[];
  /** The tests of a part: those of its own folder, because a change should be detected near its place. */
  readonly tests: readonly string[];
}

/** The word search, a part of its own. */
const WORDS = "best-rows cosine lexical-file lexical-index merge-segment postings row-slots segment term-search windows"
  .split(" ")
  .map((name) => `src/store/${name}.ts`);

/**
 * The parts for mutation testing. Patterns contain no commas, at which Stryker would split them. The Milvus adapter is
 * left out, because its tests need a server.
 */
export const PARTS = {
  metrics: {
    mutate: ["src/evaluate/metrics/**/*.ts"],
    tests: ["test/evaluate/metrics.test.ts", "test/evaluate/text.test.ts"],
  },
  mutators: { mutate: ["mutators/**/*.ts"], tests: ["test/mutators/**/*.test.ts"] },
  answer: { mutate: ["src/recommend/answer/**/*.ts"], tests: ["test/recommend/answer/**/*.test.ts"] },
  features: {
    mutate: ["src/recommend/features/**/*.ts", "src/python/profile*.ts", "src/store/profile-pack.ts"],
    tests: ["test/recommend/features/**/*.test.ts", "test/recommend/rerank.test.ts", "test/profile/*.test.ts"],
  },
  recommend: { mutate: ["src/recommend/*.ts"], tests: ["test/recommend/*.test.ts"] },
  ingest: { mutate: ["src/ingest/**/*.ts"], tests: ["test/ingest/**/*.test.ts"] },
  http: { mutate: ["src/http/**/*.ts"], tests: ["test/http/**/*.test.ts"] },
  words: {
    mutate: WORDS,
    tests: ["test/store/lexical-index.test.ts", "test/store/embedded-words.test.ts", "test/store/embedded/*.test.ts"],
  },
  store: {
    mutate: ["src/store/**/*.ts", "!src/store/milvus.ts", "!src/store/milvus/**", ...WORDS.map((file) => `!${file}`)],
    tests: ["test/store/**/*.test.ts"],
  },
} satisfies Record<string, Part>;
