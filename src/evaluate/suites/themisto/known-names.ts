import { neededNames } from "../../../python/needed-names.js";
import type { Target, TargetQuery } from "../../target.js";

/** How many results are looked at to find k that fit. */
const WIDER = 5;
const MOST = 100;

/**
 * A recommender that takes no variables, with the runtime as a signal all the same: of more results than asked for, those come first of whose names
 * more exist in the running kernel; among equals its own order stays.
 */
export function preferKnownNames(target: Target): Target {
  return {
    ...target,
    name: `${target.name}, known names first`,
    takesVariables: true,
    async recommend(query: TargetQuery) {
      const known = query.context?.variables ?? {};
      const wide = { ...query, k: Math.min(MOST, query.k * WIDER) };
      const answer = await target.recommend({ ...wide, context: withoutVariables(query) });
      const ranked = answer.hits
        .map((hit, rank) => ({ hit, rank, share: knownShare(hit.code, known) }))
        .sort((a, b) => b.share - a.share || a.rank - b.rank);
      return { ...answer, hits: ranked.slice(0, query.k).map(({ hit }) => hit) };
    },
  };
}

/** The share of the names a cell needs that exist; a cell that needs none fits everywhere. */
export function knownShare(code: string, known: Readonly<Record<string, unknown>>): number {
  const needed = [...neededNames(code)];
  return needed.length === 0 ? 1 : needed.filter((name) => Object.hasOwn(known, name)).length / needed.length;
}

function withoutVariables({ context }: TargetQuery): NonNullable<TargetQuery["context"]> {
  return { before: context?.before ?? [], markdown: context?.markdown ?? "" };
}
