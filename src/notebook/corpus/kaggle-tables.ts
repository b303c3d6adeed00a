import { createReadStream, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline, type Readable } from "node:stream";
import csvParser from "csv-parser";
import { RecommenderError } from "../../errors.js";
import { unpackingStreams } from "./archives.js";

type TableRow = Readonly<Partial<Record<string, string>>>;

/** The tables of Meta Kaggle, or of KGTorrent's database. */
export interface KaggleTables {
  readonly path: string;
  has(table: string): boolean;
  /** The rows of a table by the names of its columns. INPUT_INVALID if a column of `required` is missing. */
  rows(table: string, required?: readonly string[]): AsyncIterable<TableRow>;
}

/** Maximum characters of a table's header quoted in an error message. */
const MAX_SHOWN = 200;
const DUMP = /\.sql(\.gz|\.bz2)?$/i;

/**
 * The tables in a folder of CSV files, or in a MySQL dump (`.sql`, `.sql.gz`, `.sql.bz2`); NOT_FOUND if there are none.
 */
export function openKaggleTables(path: string): KaggleTables {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined)
    throw new RecommenderError("NOT_FOUND", `There is no folder or dump ${path}; --meta-kaggle takes either.`);
  if (facts.isDirectory()) {
    const fileOf = (table: string) => join(path, `${table}.csv`);
    return {
      path,
      has: (table) => existsSync(fileOf(table)),
      rows: (table, required) => readCsv(fileOf(table), required),
    };
  }
  if (!DUMP.test(path))
    throw new RecommenderError(
      "INPUT_INVALID",
      `${path} is neither a folder of CSV files nor a MySQL dump (.sql, .sql.gz, .sql.bz2).`,
    );
  return { path, has: () => true, rows: (table, required) => readDump(path, table, required) };
}

async function* readCsv(file: string, required: readonly string[] = []): AsyncGenerator<TableRow> {
  const rows = csvParser();
  rows.once("headers", (columns: readonly string[]) => {
    const problem = missingColumn(file, columns, required);
    if (problem !== null) rows.destroy(problem);
  });
  // Iterating throws the errors of both streams.
  pipeline(createReadStream(file), rows, () => {});
  yield* rows as AsyncIterable<TableRow>;
}

function missingColumn(
  where: string,
  columns: readonly string[],
  required: readonly string[],
): RecommenderError | null {
  const missing = required.find((name) => !columns.includes(name));
  if (missing === undefined) return null;
  const shown = columns.join(", ").slice(0, MAX_SHOWN);
  return new RecommenderError("INPUT_INVALID", `${where} has no column ${missing}; its columns are ${shown}.`);
}

/**
 * The rows of one table of a dump as mysqldump writes it: `CREATE TABLE` with one column per line, then `INSERT INTO
 * ... VALUES` with many rows per line. NULL is an empty text.
 */
async function* readDump(file: string, table: string, required: readonly string[] = []): AsyncGenerator<TableRow> {
  const streams = unpackingStreams(file);
  let failure: Error | null = null;
  // A plain file is one stream, which a pipeline refuses.
  const last =
    streams.length === 1
      ? streams[0]
      : pipeline(streams as unknown as NodeJS.ReadWriteStream[], (error) => {
          failure = error ?? null;
        });
  const columns: string[] = [];
  let isInTable = false;
  const insert = `INSERT INTO \`${table}\``;
  for await (const line of createInterface({
    input: last as unknown as Readable,
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (line.startsWith("CREATE TABLE ")) isInTable = line.includes(`\`${table}\``);
    else if (isInTable && /^\s*`/.test(line)) columns.push(/`([^`]+)`/.exec(line)![1]!);
    else if (line.startsWith(")")) isInTable = false;
    if (!line.startsWith(insert)) continue;
    const problem = missingColumn(`The table ${table} of ${file}`, columns, required);
    if (problem !== null) throw problem;
    for (const values of readTuples(line, line.indexOf("VALUES") + "VALUES".length))
      yield Object.fromEntries(columns.map((name, at) => [name, values[at] ?? ""]));
  }
  if (failure !== null) throw failure;
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", 0: "\0", Z: "\x1a" };

/** `(1,'a\'b',NULL),(...)` as lists of texts. */
function* readTuples(line: string, from: number): Generator<string[]> {
  let values: string[] | null = null;
  let text = "";
  for (let at = from; at < line.length; at += 1) {
    const character = line[at]!;
    if (values === null) {
      if (character === "(") values = [];
      continue;
    }
    if (character === "'") {
      for (at += 1; at < line.length; at += 1) {
        if (line[at] === "\\") {
          at += 1;
          text += ESCAPED[line[at]!] ?? line[at]!;
        } else if (line[at] !== "'") text += line[at]!;
        else if (line[at + 1] === "'") {
          text += "'";
          at += 1;
        } else break;
      }
    } else if (character === "," || character === ")") {
      values.push(text === "NULL" ? "" : text);
      text = "";
      if (character === ")") {
        yield values;
        values = null;
      }
    } else text += character;
  }
}
