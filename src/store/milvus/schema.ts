import type { FieldType } from "@zilliz/milvus2-sdk-node";

/** The end of a VarChar, in bytes. Cells over 60,000 bytes are not stored. */
export const LONGEST = 65_535;
/** BM25 as in the embedded store: cells are short, so their length says little. */
const K1 = 1.2;
const B = 0.4;

/** What makes a collection. */
export interface Layout {
  readonly fields: readonly FieldType[];
  readonly functions?: readonly object[];
  readonly indexes: readonly object[];
}

const text = (name: string, max_length: number, rest: Partial<FieldType> = {}): FieldType => ({
  name,
  data_type: "VarChar",
  max_length,
  ...rest,
});
const number = (name: string, data_type: "Int32" | "Int64" = "Int32"): FieldType => ({ name, data_type });
/** Milvus wants a vector in every collection. */
const ANCHOR: FieldType = { name: "anchor", data_type: "FloatVector", dim: 2 };
const ANCHOR_INDEX = { field_name: "anchor", index_type: "FLAT", metric_type: "L2" };

/**
 * A FLAT index is exact, and stays so for rows that came a moment ago. Beside a graph, Milvus searches fresh rows by a
 * coarse interim index: on 20,000 random vectors it found 30 % of the true neighbours, and no rare label in full.
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
  // FunctionType.BM25 of the client, which is loaded only where Milvus is used.
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

export interface CellsLayout {
  readonly dimensions: number;
  readonly exact: boolean;
  /** Whether the server searches by words. */
  readonly words: boolean;
}

export function cellsLayout({ dimensions, exact, words }: CellsLayout): Layout {
  const fields = [
    text("id", 128, { is_primary_key: true }),
    text("primary", 256),
    { name: "labels", data_type: "Array", element_type: "VarChar", max_capacity: 256, max_length: 256 } as const,
    text("clean", LONGEST),
    text("code", LONGEST),
    text("made", 64),
    { name: "vector", data_type: "FloatVector", dim: dimensions } as const,
  ];
  const vector = exact ? EXACT : GRAPH;
  if (!words) return { fields, indexes: [vector] };
  const analyzed = { enable_analyzer: true, analyzer_params: { tokenizer: "whitespace" } };
  return {
    fields: [...fields, text("words", LONGEST, analyzed), { name: "bm25", data_type: "SparseFloatVector" }],
    functions: [WORDS_FUNCTION],
    indexes: [vector, WORDS_INDEX],
  };
}

/** Trie, because Milvus 2.3 has no INVERTED; later versions have both. */
export const OCCURRENCES_LAYOUT: Layout = {
  fields: [
    text("id", 2_048, { is_primary_key: true }),
    text("notebook", 128),
    text("write", 64),
    number("cell_index"),
    text("cell_id", 128),
    number("next_index"),
    text("next", 128),
    text("source", LONGEST),
    text("name", LONGEST),
    text("facts", LONGEST),
    text("version", 256),
    number("skipped"),
    number("cells"),
    number("votes"),
    ANCHOR,
  ],
  indexes: [
    ANCHOR_INDEX,
    { field_name: "notebook", index_type: "Trie" },
    { field_name: "cell_id", index_type: "Trie" },
  ],
};

export const JOURNAL_LAYOUT: Layout = {
  fields: [
    text("id", 512, { is_primary_key: true }),
    text("kind", 16),
    text("owner", 64),
    text("cell_id", 128),
    number("beat", "Int64"),
    text("about", LONGEST),
    text("code", LONGEST),
    text("clean", LONGEST),
    ANCHOR,
  ],
  indexes: [ANCHOR_INDEX, { field_name: "cell_id", index_type: "Trie" }],
};
