import { setImmediate as nextTurn } from "node:timers/promises";
import { type GraphPart, viewPart } from "./graph.js";
import type { Snapshots } from "./snapshots.js";
import type { IndexState } from "./state.js";

/** Changes with what the graph is built with. */
export const GRAPH_FORMAT = "graph-2";

/** The saved parts of the graph that follow one another from the first row on and are whole. */
export async function loadParts(snapshots: Snapshots, state: IndexState, dimensions: number): Promise<GraphPart[]> {
  const parts: GraphPart[] = [];
  for (const snapshot of snapshots.find("graph", GRAPH_FORMAT, state)) {
    const { row, parts: facts } = snapshot.facts;
    if (facts.after !== (parts.at(-1)?.row ?? 0) || facts.dimensions !== dimensions) continue;
    const isWhole = await snapshots.read(snapshot, async (sealed) => {
      while (sealed.skip()) await nextTurn();
      return true;
    });
    const index = isWhole ? viewPart(snapshots.pathOf(snapshot.file), dimensions) : null;
    if (index === null) return parts;
    parts.push({ file: snapshot.file, after: facts.after!, row, index });
  }
  return parts;
}
