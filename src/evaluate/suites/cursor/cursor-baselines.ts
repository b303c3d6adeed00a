import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import type { CursorQuery, Target, TargetCompletion } from "../../target.js";
import type { Jedi } from "./jedi.js";
import { createNgramModel } from "./ngram.js";

/** What a completer has to beat. */
export interface CursorBaseline {
  readonly name: string;
  /** Whether it is fast enough to be asked after every token. */
  readonly types: boolean;
  complete(query: CursorQuery): Promise<readonly TargetCompletion[]>;
}

export interface BaselineDeps {
  readonly index: readonly NamedNotebook[];
  readonly target: Target;
  /** Null where this Python has none. */
  readonly jedi: Jedi | null;
}

/** Plain n-gram over the index, the notebook's own cells alone, the insertion of the best cell, and jedi where there is one. */
export function createCursorBaselines({ index, target, jedi }: BaselineDeps): CursorBaseline[] {
  const cells = new Map(index.flatMap(({ notebook }) => extractCells(notebook)).map(({ id, code }) => [id, code]));
  const ngram = createNgramModel(cells.values());
  return [
    { name: "ngram", types: true, complete: async ({ prefix, k }) => ngram.complete(prefix, k) },
    {
      name: "notebook-cache",
      types: true,
      complete: async ({ prefix, k, context }) => {
        // The line that is being typed ends nowhere yet.
        const lines = prefix.slice(0, prefix.lastIndexOf("\n") + 1);
        return createNgramModel([...context.before, lines]).complete(prefix, k);
      },
    },
    ...(target.canRecommend === false ? [] : [bestCell(target)]),
    ...(jedi === null ? [] : [completeWithJedi(jedi)]),
  ];
}

/** What the first recommended cells would insert. */
function bestCell(target: Target): CursorBaseline {
  return {
    name: "best-cell",
    types: false,
    async complete({ prefix, k, context }) {
      const { hits } = await target.recommend({ code: prefix, k, context });
      return hits.map(({ code, adapted = code, insert = adapted, confidence }) => ({ text: insert, confidence }));
    },
  };
}

function completeWithJedi(jedi: Jedi): CursorBaseline {
  return {
    name: "jedi",
    types: false,
    async complete({ prefix, k, context }) {
      const texts = await jedi.complete([...context.before, prefix].join("\n"), k);
      return texts.map((text) => ({ text, confidence: null, kind: "token" }));
    },
  };
}
