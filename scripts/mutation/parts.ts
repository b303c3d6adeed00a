export interface Part {
  readonly mutate: readonly string[];
  /** Its tests: those of its own folder, so that a change is noticed near the place where it was made. */
  readonly tests: readonly string[];
}

/** The search by words, which is tested by itself. */
const WORDS = "best-rows cosine lexical-file lexical-index merge-segment postings row-slots segment term-search windows"
  .split(" ")
  .map((name) => `src/store/${name}.ts`);

/** What mutation testing looks at; Stryker takes patterns with commas apart, so none has any. Milvus's adapter is left out: its tests need a server. */
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
