import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { readRecordFacts } from "../formats.js";
import { asRecord, asString, findJsonHazard } from "../json-text.js";
import type { Rejection } from "../notebook.js";
import { ARCHIVE_LIMITS, type ArchiveLimits, createMeter, rejectDamaged, tooLarge } from "./archives.js";
import type { CorpusItem } from "./entry.js";

const LINE_END = 10;

/** The notebooks of a file that has one object `{path, cells}` per line. An optional `repo` is prefixed to the path. */
export async function* readJsonLinesCorpus(
  source: string,
  file: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<CorpusItem> {
  let number = 0;
  try {
    for await (const line of splitLines(file, limits)) {
      number += 1;
      if ("rejected" in line) yield { source, path: `line ${number}`, ...line };
      else if (line.bytes.length > 0) yield toEntry(source, number, line.bytes);
    }
  } catch (error) {
    yield { source, path: `line ${number + 1}`, rejected: rejectDamaged(error), isContainer: true };
  }
}

function toEntry(source: string, number: number, bytes: Buffer): CorpusItem {
  const record = parseRecord(bytes);
  const reject = (reason: string): CorpusItem => ({
    source,
    path: `line ${number}`,
    rejected: { kind: "not-a-notebook", reason: `it is not a JSON object with a path and cells: ${reason}` },
  });
  if (typeof record === "string") return reject(record);
  const name = asString(record.path) ?? asString(record.name);
  if (name === null) return reject(`its path is ${quoteValue(record.path)}`);
  if (!Array.isArray(record.cells)) return reject(`its cells are ${quoteValue(record.cells)}`);
  const path = [asString(record.repo), name].filter((part) => part !== null);
  return {
    source,
    path: path.join("/"),
    facts: readRecordFacts(record),
    stamp: null,
    size: bytes.length,
    named: false,
    read: async () => ({ format: "record", bytes }),
  };
}

const MAX_SHOWN = 40;

/** The text of a value in messages. */
function quoteValue(value: unknown): string {
  const text = value === undefined ? "missing" : JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}...`;
}

/** The record of a line, or the reason why it is invalid. */
function parseRecord(bytes: Buffer): Readonly<Record<string, unknown>> | string {
  // The first line of a file from Windows may start with a byte order mark.
  const text = bytes.toString().replace(/^\uFEFF/, "");
  const hazard = findJsonHazard(text);
  if (hazard !== null) return hazard;
  try {
    const value: unknown = JSON.parse(text);
    return asRecord(value) ?? `it is ${quoteValue(value)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

type Line = { readonly bytes: Buffer } | { readonly rejected: Rejection; readonly isContainer?: true };

/** Reads lines. A line that is too long is skipped. */
async function* splitLines(file: string, limits: ArchiveLimits): AsyncGenerator<Line> {
  const meter = createMeter((await stat(file)).size, limits);
  const plain = createReadStream(file);
  // Iterating throws the errors of the stream.
  const stream = /\.gz$/i.test(file) ? pipeline(plain, createGunzip(), () => {}) : plain;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): Line => {
    const line: Line =
      length > limits.file ? { rejected: tooLarge(length, limits) } : { bytes: trimLine(Buffer.concat(parts)) };
    [parts, length] = [[], 0];
    return line;
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length > limits.file) parts = [];
    else parts.push(part);
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    meter.addBytes(chunk.length);
    const excess = meter.excess();
    if (excess !== null) {
      yield { rejected: excess, isContainer: true };
      return;
    }
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      yield take();
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield take();
}

function trimLine(line: Buffer): Buffer {
  return line.toString("latin1").trim() === "" ? Buffer.alloc(0) : line;
}
