import type { CellProfile } from "../../python/profile.js";
import type { QueryProfile } from "./query-profile.js";

/** How the calls of a candidate stand to those of the query, of the cells before it and of the other candidates. */
export interface CallOverlap {
  /** Share of the candidate's calls that the query or a cell before it makes, too. */
  readonly known: number;
  /** Of the calls that the query does not make yet: the share that was done before and is seldom done twice. */
  readonly done: number;
  /** Calls that the query does not make yet. */
  readonly added: number;
  /** Of all that the candidates would add: the share that others would add and this one has, too. */
  readonly shared: number;
  /** The share of the candidates, without this one, that hold a call which it would add, on average. */
  readonly common: number;
}

export const NO_CALLS: CallOverlap = { known: 0, done: 0, added: 0, shared: 0, common: 0 };

/** Candidates of one query vote on what comes next: a call that many of them make is likely, whichever is shown. */
export function createCallMeasure(
  query: QueryProfile,
  cells: readonly CellProfile[],
): (cell: CellProfile) => CallOverlap {
  const typed = new Set(query.code.calls);
  const votes = new Map<number, number>();
  let total = 0;
  for (const { calls } of cells) {
    for (const call of calls) {
      if (typed.has(call)) continue;
      votes.set(call, (votes.get(call) ?? 0) + 1);
      total += 1;
    }
  }
  return ({ calls }) => {
    let known = 0;
    let added = 0;
    let done = 0;
    let agreeing = 0;
    for (const call of calls) {
      if (typed.has(call) || query.callsBefore.has(call)) known += 1;
      if (typed.has(call)) continue;
      added += 1;
      if (query.callsBefore.has(call)) done += query.isOnce(call);
      agreeing += votes.get(call)! - 1;
    }
    return {
      known: calls.length === 0 ? 0 : known / calls.length,
      done: added === 0 ? 0 : done / added,
      added,
      shared: agreeing / Math.max(1, total),
      common: added === 0 ? 0 : agreeing / added / cells.length,
    };
  };
}
