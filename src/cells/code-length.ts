import { RecommenderError } from "../errors.js";

/** The longest code that is asked about, in bytes of UTF-8. */
const LONGEST_CODE = 256 * 1024;

/** TOO_LARGE where somebody asks about more than any cell holds. */
export function checkCodeLength(code: string): void {
  const bytes = Buffer.byteLength(code);
  if (bytes <= LONGEST_CODE) return;
  throw new RecommenderError("TOO_LARGE", `The code has ${bytes} bytes; at most ${LONGEST_CODE} (256 KB) are taken.`);
}
