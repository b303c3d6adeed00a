import { type ContextArrays, ID_BITS, ID_MASK, sortContexts } from "./context-index.js";
import { createScope, findBindings, IMPORTED, type NameRoles, UNKNOWN } from "./roles.js";
import { appendCell, emptyStream, RANKS } from "./stream.js";
import { type CodeToken, readCell } from "./tokens.js";
import { readVariable, type Vocabulary } from "./vocabulary.js";

/** The code cells of one notebook, in order. */
type NotebookCells = readonly string[];

/**
 * Token streams of many notebooks, as numbers. In the contexts of `roles`, the bits above `ID_BITS` are the rank of a
 * variable plus 1, or 0 for a token that is predicted as it is written.
 */
export interface LearntStreams {
  readonly names: ContextArrays;
  readonly roles: ContextArrays;
}

/** Returns the token to predict in a context of roles: as it is written, or as a variable of a role and rank. */
export function createRoleTargets(names: Int32Array, roles: Int32Array, vocabulary: Vocabulary) {
  const variables: [place: number, id: number][] = [];
  for (const [index, text] of vocabulary.texts().entries()) {
    const variable = readVariable(text);
    if (variable !== null) variables.push([vocabulary.idOf(variable.role) * RANKS + variable.rank, index + 1]);
  }
  const targets = new Int32Array(variables.reduce((highest, [place]) => Math.max(highest, place), 0) + 1);
  for (const [place, id] of variables) targets[place] = id;
  return (position: number): number => {
    const rank = roles[position]! >>> ID_BITS;
    return rank === 0 ? names[position]! : targets[(roles[position]! & ID_MASK) * RANKS + rank - 1]!;
  };
}

/** Maximum tokens of a short cell, and maximum number of copies that are learnt. */
const MAX_SHORT_CELL = 16;
const MAX_COPIES = 200;

interface NumberList {
  readonly length: number;
  push(value: number): void;
  finish(): Int32Array;
}

/** Returns how often a cell was seen before, then counts it. */
export function countCopy(seen: Map<string, number>, cell: string): number {
  const count = seen.get(cell) ?? 0;
  seen.set(cell, count + 1);
  return count;
}

/** A typed array that grows by doubling. */
function createNumberList(): NumberList {
  let values = new Int32Array(1 << 16);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const larger = new Int32Array(length * 2);
        larger.set(values);
        values = larger;
      }
      values[length] = value;
      length += 1;
    },
    finish: () => values.slice(0, length),
  };
}

interface Learner {
  /**
   * Reads a notebook. Returns the start of each learnt cell as (index, position). `copiesOf` gives how often a cell was
   * learnt before. A copy of a long cell is not learnt again, but the names that it binds count. Short cells such as
   * `df.head()` are retyped rather than copied, so they are learnt each time.
   */
  read(cells: NotebookCells, copiesOf?: (index: number) => number): [number, number][];
  readonly tokens: number;
  finish(): LearntStreams;
}

/** Collects notebooks into streams that are sorted at the end. */
export function createLearner(vocabulary: Vocabulary, usualRoles: NameRoles): Learner {
  const concrete = createNumberList();
  const abstract = createNumberList();
  const wrapped = createNumberList();
  return {
    get tokens() {
      return concrete.length;
    },
    read(cells, copiesOf = () => 0) {
      const stream = emptyStream();
      const scope = createScope(usualRoles);
      const kept: boolean[] = [];
      for (const [index, code] of cells.entries()) {
        const tokens = readCell(code);
        appendCell(stream, scope, tokens);
        kept.push(copiesOf(index) < (tokens.length <= MAX_SHORT_CELL ? MAX_COPIES : 1));
      }
      const starts: [number, number][] = [];
      for (const [at, cell] of stream.cell.entries()) {
        if (!kept[cell]) continue;
        if (starts.at(-1)?.[0] !== cell) {
          // A cell after a skipped copy does not follow the cell before the copy.
          if (cell > 0 && !kept[cell - 1]) for (const list of [concrete, abstract]) list.push(0);
          starts.push([cell, concrete.length]);
        }
        if (stream.tokens[at]!.isWrapped) wrapped.push(concrete.length);
        concrete.push(vocabulary.add(stream.concrete[at]!));
        const variable = readVariable(stream.target[at]!);
        if (variable !== null) vocabulary.add(stream.target[at]!);
        const rank = variable === null ? 0 : variable.rank + 1;
        abstract.push(vocabulary.add(stream.abstract[at]!) + rank * 2 ** ID_BITS);
      }
      // A context does not reach from one notebook into the next.
      for (const list of [concrete, abstract]) list.push(0);
      return starts;
    },
    finish() {
      const size = vocabulary.size;
      const names = concrete.finish();
      const roles = abstract.finish();
      const wraps = wrapped.finish();
      return {
        names: sortContexts(names, size, wraps),
        roles: sortContexts(roles, size, wraps, createRoleTargets(names, roles, vocabulary)),
      };
    },
  };
}

/** The usual role of each name: its most frequent one, if at least half of the notebooks agree. */
export function learnNameRoles(
  notebooks: Iterable<{ readonly author: string; readonly cells: NotebookCells }>,
  minAuthors: number,
): Map<string, string> {
  const roles = new Map<string, Map<string, Set<string>>>();
  const none: NameRoles = new Map();
  for (const { author, cells } of notebooks) {
    const scope = createScope(none);
    for (const code of cells) {
      for (const statement of statementsOf(readCell(code))) {
        for (const [name, role] of findBindings(statement, scope.roleOf)) {
          if (role === UNKNOWN || role === IMPORTED || role === "parameter") continue;
          const byRole = roles.get(name) ?? new Map<string, Set<string>>();
          roles.set(name, byRole);
          byRole.set(role, (byRole.get(role) ?? new Set()).add(author));
        }
        scope.readStatement(statement);
      }
    }
  }
  const usualRoles = new Map<string, string>();
  for (const [name, byRole] of roles) {
    const sizes = [...byRole].map(([role, authors]) => [role, authors.size] as const).sort((a, b) => b[1] - a[1]);
    const all = sizes.reduce((sum, [, size]) => sum + size, 0);
    const [role, size] = sizes[0]!;
    if (size >= minAuthors && size >= all * 0.4) usualRoles.set(name, role);
  }
  return usualRoles;
}

function* statementsOf(tokens: readonly CodeToken[]): Generator<CodeToken[]> {
  let start = 0;
  for (let at = 0; at <= tokens.length; at += 1) {
    if (at < tokens.length && tokens[at]!.kind !== "line" && tokens[at]!.text !== ";") continue;
    if (at > start) yield tokens.slice(start, at);
    start = at + 1;
  }
}
