import { ingestCorpus } from "./ingest-corpus.js";
import { addStep, NOTHING_YET, type Totals } from "./totals.js";

/** Stores a whole corpus and says what became of it, for those who do not follow it step by step. */
export async function ingestWhole(...parameters: Parameters<typeof ingestCorpus>): Promise<Totals> {
  let totals = NOTHING_YET;
  for await (const step of ingestCorpus(...parameters)) totals = addStep(totals, step);
  return totals;
}
