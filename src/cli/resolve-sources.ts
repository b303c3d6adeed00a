import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { UseCases } from "../ask/use-cases.js";
import { RecommenderError } from "../errors.js";

/** The names of sources as the index has them: a folder or archive may be given by the path that `index` took. NOT_FOUND for others. */
export async function resolveSources(
  ask: Pick<UseCases, "listSources">,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (given === undefined) return undefined;
  const known = new Set((await ask.listSources()).sources.flatMap(({ source, id }) => [source, id]));
  return given.map((name) => {
    if (known.has(name)) return name;
    // A folder that has gone is what people want to forget most.
    const path = existsSync(name) ? realpathSync(name) : resolve(name);
    if (known.has(path)) return path;
    throw new RecommenderError("NOT_FOUND", `There is no source ${name}; celrec sources lists them.`);
  });
}
