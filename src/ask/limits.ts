const KB = 1024;
const MB = 1024 * KB;

/** How much may be asked at once. Everything that takes a request keeps to these, and the API document names them. */
export const LIMITS = {
  /** Bytes of UTF-8 of one cell that is asked about. */
  codeBytes: 256 * KB,
  bodyBytes: 25 * MB,
  /** Cells of one notebook. */
  cells: 5_000,
  /** Bytes of code of a notebook that is labelled in one answer. */
  labelledBytes: 2 * MB,
  /** Files of one form. */
  files: 1_000,
  k: 100,
  before: { cells: 1_000, bytes: MB },
  markdownCharacters: 64 * KB,
  searchCharacters: 10_000,
  variables: { names: 1_000, characters: 200 },
  excluded: 1_000,
  nameCharacters: 1_024,
  page: 1_000,
} as const;

/** What a request has that says nothing. */
export const DEFAULTS = { k: 3, found: 10, similar: 5, page: 100 } as const;

/** Of the cells before, the nearest that have this many bytes together are read; the others are too far away to tell. */
export const READ_BEFORE_BYTES = 64 * KB;
