/** Shorter pieces of a string are copies already; a longer one is a view that keeps the whole string alive. */
const SHORTEST_VIEW = 13;

/** The text by itself: what is remembered of a cell must not keep the cell in memory. */
export function ownCopy(text: string): string {
  return text.length < SHORTEST_VIEW ? text : ` ${text}`.slice(1);
}
