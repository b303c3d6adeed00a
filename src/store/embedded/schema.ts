/** The layout of the tables below; an index of an older one is brought over on opening. */
export const LAYOUT = 2;

/**
 * Every text is a blob and is read as one: the driver ends a text at its first NUL, and ends the process at a damaged one. Rows
 * are never used twice, so that what is new is what has a higher row. `state`, `label_counts` and `held` are counters: the
 * transaction that changes what they count changes them, too.
 */
export const SCHEMA = `
  create table state (
    one integer primary key check (one = 1),
    layout integer not null,
    index_id blob not null,
    generation blob not null,
    identity blob not null,
    commits integer not null,
    pruned integer not null,
    cells integer not null,
    notebooks integer not null,
    occurrences integer not null
  );
  create table label_counts (labels integer primary key, cells integer not null);
  create table cells (
    row integer primary key autoincrement,
    id blob not null unique,
    code blob not null,
    clean blob not null,
    labels integer not null,
    primary_label integer not null,
    checksum integer not null
  );
  create table vectors (row integer primary key, vector blob not null, profile blob);
  create table held (cell integer primary key, occurrences integer not null);
  create table notebooks (
    row integer primary key autoincrement,
    id blob not null unique,
    source blob not null,
    name blob not null,
    version blob not null,
    skipped integer not null,
    cells integer not null,
    facts blob not null
  );
  create table positions (
    notebook integer not null,
    cell_index integer not null,
    cell integer not null,
    primary key (notebook, cell_index)
  ) without rowid;
  create table occurrences (
    cell integer not null,
    source blob not null,
    name blob not null,
    cell_index integer not null,
    notebook integer not null,
    primary key (cell, source, name, cell_index, notebook)
  ) without rowid;
  create table removed (seq integer primary key autoincrement, row integer not null);
`;
