import { crc32, deflateRawSync } from "node:zlib";

interface ZipPart {
  readonly name: string;
  readonly content: string | Buffer;
  /** A wrong size in the directory of the archive. */
  readonly claimed?: number;
  readonly encrypted?: boolean;
  readonly method?: number;
  /** Whether a byte of the content is changed. */
  readonly damaged?: true;
}

/** Makes a zip archive, possibly with wrong metadata. */
export function makeZip(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, claimed, encrypted = false, method = 8, damaged } of parts) {
    const plain = Buffer.from(content as string);
    const packed = method === 0 ? plain : deflateRawSync(plain);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800 | Number(encrypted), 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    if (damaged) packed[packed.length >> 1]! ^= 1;
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimed ?? plain.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, rest, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, listed, end]);
}
