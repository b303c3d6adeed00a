/** A vector as bytes: its largest number becomes 127. Cosines of such vectors are near those of the vectors (about .002). */
export function quantize(vector: Float32Array, into: Int8Array): void {
  let largest = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const size = Math.abs(vector[at]!);
    if (size > largest) largest = size;
  }
  const scale = largest === 0 || !Number.isFinite(largest) ? 0 : 127 / largest;
  for (let at = 0; at < vector.length; at += 1) into[at] = Math.round(vector[at]! * scale);
}

/** The unit vector that the bytes stand for. */
export function restore(bytes: Int8Array, into: Float32Array): void {
  let squares = 0;
  for (let at = 0; at < bytes.length; at += 1) squares += bytes[at]! * bytes[at]!;
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  for (let at = 0; at < bytes.length; at += 1) into[at] = bytes[at]! * scale;
}
