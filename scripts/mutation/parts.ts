export interface Part {
  readonly mutate: readonly string[];
  /** The tests that answer for it: those of its own folder, so that a change is noticed where it was made. */
  readonly tests: readonly string[];
}

/** What mutation testing looks at. Milvus's adapter is left out: its tests need a server. */
export const PARTS = {
  metrics: {
    mutate: ["src/evaluate/metrics/**/*.ts"],
    tests: ["test/evaluate/metrics.test.ts", "test/evaluate/text.test.ts"],
  },
  mutators: { mutate: ["mutators/**/*.ts"], tests: ["test/mutators/**/*.test.ts"] },
  recommend: { mutate: ["src/recommend/**/*.ts"], tests: ["test/recommend/**/*.test.ts"] },
  ingest: { mutate: ["src/ingest/**/*.ts"], tests: ["test/ingest/**/*.test.ts"] },
  http: { mutate: ["src/http/**/*.ts"], tests: ["test/http/**/*.test.ts"] },
  store: {
    mutate: ["src/store/**/*.ts", "!src/store/milvus.ts", "!src/store/milvus/**"],
    tests: ["test/store/**/*.test.ts"],
  },
} satisfies Record<string, Part>;
