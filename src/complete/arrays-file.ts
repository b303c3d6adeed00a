import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { z } from "zod";
import { RecommenderError } from "../errors.js";

type StoredArray = Int32Array | Uint8Array | Float32Array;
type NamedArrays = Readonly<Record<string, StoredArray>>;
const TYPES = { i32: Int32Array, u8: Uint8Array, f32: Float32Array } as const;
type TypeName = keyof typeof TYPES;

const headerSchema = z.object({
  format: z.number(),
  facts: z.unknown(),
  arrays: z.array(z.object({ name: z.string(), type: z.enum(["i32", "u8", "f32"]), length: z.int().min(0) })),
});
type Header = z.infer<typeof headerSchema>;

/** The content of a file of arrays. */
interface ArraysFile {
  readonly facts: unknown;
  readonly arrays: ReadonlyMap<string, StoredArray>;
}

const FORMAT = 1;
const DIGEST_BYTES = 32;
const ALIGNMENT = 8;

/**
 * Packs number arrays and a description into bytes: the sha-256 of the rest, the length of the header, the header as
 * JSON, then each array at a multiple of eight bytes.
 */
export function packArrays(facts: unknown, arrays: NamedArrays): Uint8Array {
  const parts = [...partsOf(facts, arrays)];
  return Buffer.concat([digestOf(parts), ...parts]);
}

/** Writes a file that `unpackArrays` reads, without a second copy of the arrays in memory. */
export async function writeArrays(file: string, facts: unknown, arrays: NamedArrays): Promise<void> {
  const handle = await open(file, "w");
  try {
    const parts = [...partsOf(facts, arrays)];
    await handle.writeFile(digestOf(parts));
    for (const part of parts) await handle.writeFile(part);
  } finally {
    await handle.close();
  }
}

/** Yields all bytes after the checksum. The arrays are not copied. */
function* partsOf(facts: unknown, arrays: NamedArrays): Generator<Uint8Array> {
  const header: Header = {
    format: FORMAT,
    facts,
    arrays: Object.entries(arrays).map(([name, array]) => ({ name, type: typeOf(array), length: array.length })),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  yield length;
  yield text;
  let at = DIGEST_BYTES + 4 + text.length;
  for (const array of Object.values(arrays)) {
    yield new Uint8Array(align(at) - at);
    yield new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    at = align(at) + array.byteLength;
  }
  yield new Uint8Array(align(at) - at);
}

/** Reads the output of `packArrays`; the arrays are views of `content`. Throws MODEL_UNAVAILABLE for other content. */
export function unpackArrays(content: Uint8Array, name: string): ArraysFile {
  // A typed array must start at a multiple of its element size.
  const bytes = content.byteOffset % ALIGNMENT === 0 ? content : new Uint8Array(content);
  const fail = (reason: string) => new RecommenderError("MODEL_UNAVAILABLE", `${name} cannot be used: ${reason}.`);
  if (bytes.length < DIGEST_BYTES + 4) throw fail(`it has ${bytes.length} bytes`);
  if (!digestOf([bytes.subarray(DIGEST_BYTES)]).equals(bytes.subarray(0, DIGEST_BYTES)))
    throw fail("its checksum is wrong");
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

/**
 * Reads a file that `writeArrays` wrote. Each array has memory of its own, so the description is not kept. Throws
 * MODEL_UNAVAILABLE for anything else.
 */
export async function readArrays(file: string): Promise<ArraysFile> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const fail = (reason: string) => new RecommenderError("MODEL_UNAVAILABLE", `${file} cannot be used: ${reason}.`);
    const hash = createHash("sha256");
    let at = 0;
    const read = async (length: number): Promise<Uint8Array<ArrayBuffer>> => {
      if (at + length > size) throw fail(`it has ${size} bytes`);
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await handle.read(bytes, done, length - done, at + done);
        if (bytesRead === 0) throw fail(`it has ${at + done} bytes`);
        done += bytesRead;
      }
      if (at > 0) hash.update(bytes);
      at += length;
      return bytes;
    };
    const digest = await read(DIGEST_BYTES);
    const length = new DataView((await read(4)).buffer).getUint32(0, true);
    const text = Buffer.from(await read(length)).toString();
    const header = parseHeader(text, fail);
    const arrays = new Map<string, StoredArray>();
    for (const { name, type, length: count } of header.arrays) {
      await read(align(at) - at);
      const bytes = await read(count * TYPES[type].BYTES_PER_ELEMENT);
      arrays.set(name, new TYPES[type](bytes.buffer));
    }
    await read(align(at) - at);
    if (at !== size || !hash.digest().equals(digest)) throw fail("its checksum is wrong");
    return { facts: header.facts, arrays };
  } finally {
    await handle.close();
  }
}

/** The header has to be read before the checksum is known, so it may be damaged. */
function parseHeader(text: string, fail: (reason: string) => RecommenderError): Header {
  const header = headerSchema.safeParse(parseJson(text));
  if (!header.success) throw fail("its checksum is wrong");
  if (header.data.format !== FORMAT) throw fail(`its format is ${header.data.format}, this version reads ${FORMAT}`);
  return header.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function typeOf(array: StoredArray): TypeName {
  if (array instanceof Int32Array) return "i32";
  return array instanceof Uint8Array ? "u8" : "f32";
}

function digestOf(parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function align(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}
