/** Ratings from here on count as relevant. */
export const RELEVANT_FROM = 3;
/** The rating of every cell that nobody asked for. */
export const UNRELATED = 1;

export const isRelevant = (rating: number): boolean => rating >= RELEVANT_FROM;
