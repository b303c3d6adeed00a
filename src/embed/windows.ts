/** Cuts the token ids of a text into consecutive windows of at most `size`; a text without tokens has none. */
export function splitWindows(ids: readonly number[], size: number): number[][] {
  const windows: number[][] = [];
  for (let start = 0; start < ids.length; start += size) windows.push(ids.slice(start, start + size));
  return windows;
}
