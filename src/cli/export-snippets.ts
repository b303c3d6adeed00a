import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Services } from "../app/compose.js";
import { listFrequentCells } from "../ask/frequent-cells.js";
import { parseInput } from "../ask/parse-input.js";
import { askRequest, searchRequest } from "../ask/requests.js";
import { RecommenderError } from "../errors.js";
import { makeFolders } from "../notebook/file-system.js";
import { makeSnippet, type SnippetCell } from "../notebook/snippet.js";
import type { Context } from "./context.js";
import { readText } from "./read-code.js";

/** Which cells become snippets. */
export interface ChosenCells {
  readonly k: number;
  readonly search?: string;
  readonly code?: string;
  readonly label?: string;
}

/** Writes cells as code snippets of Elyra, one file each; those of an earlier export are replaced. */
export async function exportSnippets(
  services: Services,
  { output, signal }: Pick<Context, "output" | "signal">,
  folder: string,
  chosen: ChosenCells,
): Promise<number> {
  const cells = await chooseCells(services, chosen, signal);
  makeFolders(folder);
  const snippets = cells.map(makeSnippet);
  for (const { file, document } of snippets)
    writeFileSync(join(folder, file), `${JSON.stringify(document, null, 2)}\n`);
  output.document({ folder, snippets: snippets.map(({ file, document }) => ({ file, name: document.display_name })) });
  for (const { file, document } of snippets) output.line(`${file}  ${document.display_name}`);
  output.note(`${snippets.length} snippets in ${folder}`);
  return 0;
}

async function chooseCells(
  services: Services,
  { search, code, label, k }: ChosenCells,
  signal: AbortSignal,
): Promise<readonly SnippetCell[]> {
  if (search !== undefined && code !== undefined)
    throw new RecommenderError("INPUT_INVALID", "Give --search or --code, not both.");
  const within = { k, ...(label !== undefined && { label }) };
  if (search !== undefined)
    return (await services.ask.search(parseInput(searchRequest, { text: search, ...within }), signal)).cells;
  if (code !== undefined) {
    const request = parseInput(askRequest, { code: readText(code), ...within });
    return (await services.ask.recommend(request, signal)).recommendations;
  }
  if (label !== undefined) return listFrequentCells(services, { label, k }, signal);
  throw new RecommenderError("INPUT_INVALID", "Which cells? Give --search WORDS, --code FILE or --label LABEL.");
}
