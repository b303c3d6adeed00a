import type { FieldType } from "@zilliz/milvus2-sdk-node";

/** The end of a VarChar, in bytes. Cells over 60,000 bytes are not stored. */
const LONGEST = 65_535;

const text = (name: string, max_length: number, rest: Partial<FieldType> = {}): FieldType => ({
  name,
  data_type: "VarChar",
  max_length,
  ...rest,
});

export const cellFields = (dimensions: number): FieldType[] => [
  text("id", 128, { is_primary_key: true }),
  text("primary", 256),
  { name: "labels", data_type: "Array", element_type: "VarChar", max_capacity: 256, max_length: 256 },
  text("clean", LONGEST),
  text("code", LONGEST),
  { name: "vector", data_type: "FloatVector", dim: dimensions },
];

export const OCCURRENCE_FIELDS: readonly FieldType[] = [
  text("id", 512, { is_primary_key: true }),
  text("notebook", 128),
  text("source", LONGEST),
  text("name", LONGEST),
  text("facts", LONGEST),
  text("version", 256),
  { name: "cell_index", data_type: "Int32" },
  text("cell_id", 128),
  { name: "skipped", data_type: "Int32" },
  { name: "cells", data_type: "Int32" },
  { name: "complete", data_type: "Bool" },
  { name: "anchor", data_type: "FloatVector", dim: 2 },
];

/**
 * A FLAT index is exact, and stays so for rows that came a moment ago. Beside a graph, Milvus searches fresh rows by a
 * coarse interim index: on 20,000 random vectors it found 30 % of the true neighbours, and no rare label in full.
 */
export const cellIndexes = (exact: boolean) => [
  exact
    ? { field_name: "vector", index_type: "FLAT", metric_type: "COSINE" }
    : { field_name: "vector", index_type: "HNSW", metric_type: "COSINE", params: { M: 32, efConstruction: 256 } },
];

/** Trie, because Milvus 2.3 has no INVERTED; later versions have both. */
export const OCCURRENCE_INDEXES = [
  { field_name: "anchor", index_type: "FLAT", metric_type: "L2" },
  { field_name: "notebook", index_type: "Trie" },
  { field_name: "cell_id", index_type: "Trie" },
];
