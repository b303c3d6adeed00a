import { fileURLToPath } from "node:url";

/** The data that several projects share; beside this repository, and not part of it. */
export const sharedData = fileURLToPath(new URL("../../shared/data", import.meta.url));

/**
 * Whether a test can have what it needs. If not, the test is to be skipped, aloud; where CELREC_TEST_REQUIRE names
 * the need, that is an error instead.
 */
export function requires(
  name: "milvus" | "shared" | "chromium" | "python" | "jupyterlab",
  available: boolean,
  how: string,
): boolean {
  if (available) return true;
  const required = (process.env.CELREC_TEST_REQUIRE ?? "").split(",").map((entry) => entry.trim());
  if (required.includes(name)) throw new Error(`CELREC_TEST_REQUIRE names ${name}, which is not there: ${how}`);
  console.warn(`skipped: needs ${name}: ${how}`);
  return false;
}
