import { fileURLToPath } from "node:url";

/** The shared data beside this repository, which are not part of it. */
export const sharedData = fileURLToPath(new URL("../../shared/data", import.meta.url));

const required = (process.env.CELREC_TEST_REQUIRE ?? "").split(",").map((entry) => entry.trim());

/** Whether tests with many repetitions or package installations run completely. */
export const isLongRun = required.includes("long");

/**
 * Whether the requirement of a test is available. If not, the test is skipped with a message; it is an error if
 * CELREC_TEST_REQUIRE lists the requirement.
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

/** Skips slow tests with a message, unless CELREC_TEST_REQUIRE lists "long". */
export const takesLong = (): boolean =>
  requires("long", isLongRun, "CELREC_TEST_REQUIRE=long runs what repeats much or installs packages");
