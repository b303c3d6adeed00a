import { createHash } from "node:crypto";
import { RecommenderError } from "../errors.js";

type StoredArray = Int32Array | Uint8Array | Float32Array;
const TYPES = { i32: Int32Array, u8: Uint8Array, f32: Float32Array } as const;
type TypeName = keyof typeof TYPES;

interface Header {
  readonly format: number;
  readonly facts: unknown;
  readonly arrays: readonly { readonly name: string; readonly type: TypeName; readonly length: number }[];
}

/** What a file of arrays holds. */
export interface ArraysFile {
  readonly facts: unknown;
  readonly arrays: ReadonlyMap<string, StoredArray>;
}

const FORMAT = 1;
const DIGEST_BYTES = 32;
const ALIGNMENT = 8;

/**
 * Arrays of numbers with a description, as bytes: a sha-256 of the rest, the length of the header, the header in JSON, then each
 * array at a multiple of eight bytes.
 */
export function packArrays(facts: unknown, arrays: Readonly<Record<string, StoredArray>>): Uint8Array {
  const header: Header = {
    format: FORMAT,
    facts,
    arrays: Object.entries(arrays).map(([name, array]) => ({ name, type: typeOf(array), length: array.length })),
  };
  const text = Buffer.from(JSON.stringify(header));
  const start = align(DIGEST_BYTES + 4 + text.length);
  const size = Object.values(arrays).reduce((sum, array) => align(sum + array.byteLength), start);
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(DIGEST_BYTES, text.length, true);
  bytes.set(text, DIGEST_BYTES + 4);
  let at = start;
  for (const array of Object.values(arrays)) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at = align(at + array.byteLength);
  }
  bytes.set(digestOf(bytes), 0);
  return bytes;
}

/** Reads what `packArrays` wrote; the arrays are views of `bytes`. Throws MODEL_UNAVAILABLE for anything else. */
export function unpackArrays(bytes: Uint8Array, name: string): ArraysFile {
  const fail = (reason: string) => new RecommenderError("MODEL_UNAVAILABLE", `${name} cannot be used: ${reason}.`);
  if (bytes.length < DIGEST_BYTES + 4) throw fail(`it has ${bytes.length} bytes`);
  if (!digestOf(bytes).equals(bytes.subarray(0, DIGEST_BYTES))) throw fail("its checksum is wrong");
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(DIGEST_BYTES, true);
  const header = JSON.parse(
    Buffer.from(bytes.subarray(DIGEST_BYTES + 4, DIGEST_BYTES + 4 + length)).toString(),
  ) as Header;
  if (header.format !== FORMAT) throw fail(`its format is ${header.format}, this version reads ${FORMAT}`);
  const arrays = new Map<string, StoredArray>();
  let at = bytes.byteOffset + align(DIGEST_BYTES + 4 + length);
  for (const { name: key, type, length: count } of header.arrays) {
    const array = new TYPES[type](bytes.buffer as ArrayBuffer, at, count);
    arrays.set(key, array);
    at = bytes.byteOffset + align(at - bytes.byteOffset + array.byteLength);
  }
  return { facts: header.facts, arrays };
}

function typeOf(array: StoredArray): TypeName {
  if (array instanceof Int32Array) return "i32";
  return array instanceof Uint8Array ? "u8" : "f32";
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes.subarray(DIGEST_BYTES)).digest();
}

function align(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}
