import { fileURLToPath } from "node:url";

/** The data that several projects share; beside this repository, and not part of it. */
export const sharedData = fileURLToPath(new URL("../../shared/data", import.meta.url));

const required = (process.env.CELREC_TEST_REQUIRE ?? "").split(",").map((entry) => entry.trim());

/** Whether what repeats a lot, or installs packages, is run to the full. */
export const isLongRun = required.includes("long");

/**
 * Whether a test can have what it needs. If not, the test is to be skipped, aloud; where CELREC_TEST_REQUIRE names
 * the need, that is an error instead.
 */
export function requires(
  name: "milvus" | "shared" | "chromium" | "python" | "jupyterlab" | "vscode" | "long",
  available: boolean,
  how: string,
): boolean {
  if (available) return true;
  if (required.includes(name)) throw new Error(`CELREC_TEST_REQUIRE names ${name}, which is not there: ${how}`);
  console.warn(`skipped: needs ${name}: ${how}`);
  return false;
}

/** For a test that takes long: skipped, aloud, unless CELREC_TEST_REQUIRE names "long". */
export const takesLong = (): boolean =>
  requires("long", isLongRun, "CELREC_TEST_REQUIRE=long runs what repeats much or installs packages");
