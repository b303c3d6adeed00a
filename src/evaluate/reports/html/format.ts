const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);

/** Three decimals for shares, one for larger figures, none for whole numbers. */
export function showNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) && Math.abs(value) > 1) return value.toLocaleString("en");
  return value.toFixed(Math.abs(value) < 10 ? 3 : 1);
}

/** @example showCount(2, "query", "queries") // "2 queries" */
export const showCount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** The displayed name of a label: `train_model` becomes `train model`. */
export const showLabel = (label: string | null): string => (label === null ? "no label" : label.replaceAll("_", " "));

/** A position in an SVG as a share of its width. */
export const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

/** Rounds a coordinate to one decimal. */
export const roundCoordinate = (value: number): number => Math.round(value * 10) / 10;
