import { createHash } from "node:crypto";

const HEX = /^[0-9a-f]{64}$/;

/** Whether a text is a hex sha-256, as the id of everything that is stored is. */
export function isId(text: string): boolean {
  return HEX.test(text);
}

/** The 32 bytes of an id; null for any other text. */
export function toBytes(id: string): Buffer | null {
  return isId(id) ? Buffer.from(id, "hex") : null;
}

/** Of an id that is about to be stored. */
export function toKey(id: string): Buffer {
  const bytes = toBytes(id);
  if (bytes === null) throw new Error(`${JSON.stringify(id)} is not a hex sha-256`);
  return bytes;
}

/** The id that a cell has by its code: where another one is stored beside it, the row is damaged. */
export function idOfCode(code: Buffer): Buffer {
  return createHash("sha256").update(code).digest();
}
