import type { FieldType } from "@zilliz/milvus2-sdk-node";

/** Maximum size of a VarChar, in bytes. Cells over 60,000 bytes are not stored. */
export const MAX_TEXT = 65_535;
/** BM25 as in the embedded store: cells are short, so their length says little. */
const K1 = 1.2;
const B = 0.4;

/** How a collection is created. */
export interface Layout {
  readonly fields: readonly FieldType[];
  readonly functions?: readonly object[];
  readonly indexes: readonly object[];
  /** Fields with the kinds of index to try, best first. A server that supports none searches without an index. */
  readonly scalars: Readonly<Record<string, readonly string[]>>;
}

const text = (name: string, max_length: number, rest: Partial<FieldType> = {}): FieldType => ({
  name,
  data_type: "VarChar",
  max_length,
  ...rest,
});
const number = (name: string, data_type: "Int32" | "Int64" = "Int32"): FieldType => ({ name, data_type });
/** Milvus requires a vector in every collection. */
const ANCHOR: FieldType = { name: "anchor", data_type: "FloatVector", dim: 2 };
const ANCHOR_INDEX = { field_name: "anchor", index_type: "FLAT", metric_type: "L2" };
/** Milvus 2.3 supports only the second kind. */
const BY_VALUE = ["INVERTED", "Trie"];
const BY_FEW_VALUES = ["BITMAP", "INVERTED", "Trie"];

/**
 * A FLAT index is exact, also for recent rows. With a graph, Milvus searches recent rows by a coarse interim index: on
 * 20,000 random vectors its recall was 30 %, and rare labels were incomplete.
 */
const EXACT = { field_name: "vector", index_type: "FLAT", metric_type: "COSINE" };
const GRAPH = {
  field_name: "vector",
  index_type: "HNSW",
  metric_type: "COSINE",
  params: { M: 32, efConstruction: 256 },
};

const WORDS_FUNCTION = {
  name: "bm25",
  // FunctionType.BM25 of the client, which is loaded only if Milvus is used.
  type: 1,
  input_field_names: ["words"],
  output_field_names: ["bm25"],
  params: {},
};
const WORDS_INDEX = {
  field_name: "bm25",
  index_type: "SPARSE_INVERTED_INDEX",
  metric_type: "BM25",
  params: { bm25_k1: K1, bm25_b: B },
};

interface CellsLayout {
  readonly dimensions: number;
  readonly exact: boolean;
  /** Whether the server searches by words. */
  readonly words: boolean;
}

/** One row per occurrence, with all fields for filtering, ranking and answering. */
export function cellsLayout({ dimensions, exact, words }: CellsLayout): Layout {
  const fields = [
    text("id", 512, { is_primary_key: true }),
    text("content", 128),
    number("copy"),
    text("notebook", 128),
    text("stamp", 64),
    text("source", MAX_TEXT),
    number("votes"),
    text("primary", 256),
    { name: "labels", data_type: "Array", element_type: "VarChar", max_capacity: 256, max_length: 256 } as const,
    ...["about", "cell", "clean"].map((name) => text(name, MAX_TEXT)),
    { name: "vector", data_type: "FloatVector", dim: dimensions } as const,
  ];
  const vector = exact ? EXACT : GRAPH;
  const scalars = {
    content: BY_VALUE,
    notebook: BY_VALUE,
    source: BY_VALUE,
    primary: BY_FEW_VALUES,
    labels: ["BITMAP", "INVERTED"],
  };
  if (!words) return { fields, indexes: [vector], scalars };
  const analyzed = { enable_analyzer: true, analyzer_params: { tokenizer: "whitespace" } };
  return {
    fields: [...fields, text("words", MAX_TEXT, analyzed), { name: "bm25", data_type: "SparseFloatVector" }],
    functions: [WORDS_FUNCTION],
    indexes: [vector, WORDS_INDEX],
    scalars,
  };
}

export const NOTEBOOKS_LAYOUT: Layout = {
  fields: [
    text("id", 512, { is_primary_key: true }),
    text("notebook", 128),
    text("stamp", 64),
    text("source", MAX_TEXT),
    text("name", MAX_TEXT),
    text("version", 256),
    number("skipped"),
    number("cells"),
    text("facts", MAX_TEXT),
    ANCHOR,
  ],
  indexes: [ANCHOR_INDEX],
  scalars: { notebook: BY_VALUE, source: BY_VALUE },
};

export const JOURNAL_LAYOUT: Layout = {
  fields: [
    text("id", 128, { is_primary_key: true }),
    text("kind", 16),
    text("process", 512),
    number("beat", "Int64"),
    text("about", MAX_TEXT),
    ANCHOR,
  ],
  indexes: [ANCHOR_INDEX],
  scalars: {},
};
