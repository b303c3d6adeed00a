/** A query is what somebody is typing, a cell is what is stored; a model may treat them differently. */
export type EmbedRole = "query" | "cell";

export interface Embedder {
  /** Names model, revision, pooling and preprocessing: two embedders with one id give equal vectors. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * One vector of unit length per text, in order; null for a text that has no tokens. Texts are cleaned code. Rejects with
   * the signal's reason where it is aborted before or between batches.
   */
  embed(texts: readonly string[], role: EmbedRole, signal?: AbortSignal): Promise<(Float32Array | null)[]>;
  close(): Promise<void>;
}
