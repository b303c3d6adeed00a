import type { Figures, Published, SuiteDocument } from "../document.js";

/** What somebody else's figures are called: always with the word that they are of other data, where they are. */
export function publishedName({ name, sameData }: Published): string {
  return sameData ? name : `${name}, other data`;
}

/** Published figures as columns beside ours. */
export function publishedColumns({ published = [] }: Pick<SuiteDocument, "published">): Record<string, Figures> {
  return Object.fromEntries(published.map((one) => [publishedName(one), one.figures]));
}
