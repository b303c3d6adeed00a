import type { TextMetric } from "./metric.js";

/**
 * first-line = 1 if the first line of the insertion equals the first line of `rest`, else 0. White space is normalised;
 * blank lines and comment lines are skipped in both texts. The best of the k results counts; an empty list scores 0.
 */
export const firstLine: TextMetric = {
  kind: "text",
  name: "first-line",
  description: "Share of the cases where some result would insert exactly the next line.",
  better: "higher",
  cut: false,
  combine: "best",
  reads: "insert",
  of: (result, { rest }) => {
    const found = readFirst(result.raw);
    return found !== "" && found === readFirst(rest.raw) ? 1 : 0;
  },
};

function readFirst(code: string): string {
  const line = code.split("\n").find((text) => text.trim() !== "" && !text.trim().startsWith("#"));
  return (line ?? "").trim().replace(/\s+/g, " ");
}
