import { classOf, kindOf } from "./token-classes.js";

/** A predicted variable by role and rank: `rank` variables of the role were mentioned after it. */
interface VariableTarget {
  readonly role: string;
  readonly rank: number;
}

/** The numbers of the model's tokens, starting at 1. 0 means no token. */
export interface Vocabulary {
  /** One more than the largest number. */
  readonly size: number;
  /** The number of a text; a new text gets the next number. */
  add(text: string): number;
  /** 0 for an unknown text. */
  idOf(text: string): number;
  textOf(id: number): string;
  /** The kind of a token, as an index into `KINDS`. */
  kindAt(id: number): number;
  classAt(id: number): number;
  /** The variable that a prediction stands for; null for a token that is predicted as written. */
  targetAt(id: number): VariableTarget | null;
  texts(): readonly string[];
}

/** First character of model tokens that are not Python text, such as roles. */
export const MARK = "\u0001";
const NO_KIND = 255;
/** Minimum length of a substring for which V8 keeps the whole original string in memory. */
const MIN_SLICE = 13;

/** The role (as written in a context) and the rank of a predicted variable; null for any other text. */
export function readVariable(text: string): VariableTarget | null {
  if (!text.startsWith(MARK)) return null;
  const at = text.indexOf(MARK, 1);
  return at === -1 ? null : { role: text.slice(0, at), rank: Number(text.slice(at + 1)) };
}

export function createVocabulary(known: readonly string[] = []): Vocabulary {
  const texts: string[] = [""];
  const ids = new Map<string, number>();
  let kinds = new Uint8Array(Math.max(1024, known.length + 1)).fill(NO_KIND);
  let classes = new Uint8Array(kinds.length);
  let isTarget = new Uint8Array(kinds.length);
  const targets = new Map<number, VariableTarget>();
  const classify = (id: number) => {
    const text = texts[id]!;
    kinds[id] = kindOf(text);
    classes[id] = classOf(text, kinds[id]!);
  };
  const add = (given: string) => {
    const before = ids.get(given);
    if (before !== undefined) return before;
    const text: string = given.length < MIN_SLICE ? given : JSON.parse(JSON.stringify(given));
    const id = texts.length;
    if (id >= kinds.length) {
      kinds = grown(kinds);
      classes = grown(classes);
      isTarget = grown(isTarget);
    }
    kinds[id] = NO_KIND;
    ids.set(text, id);
    texts.push(text);
    if (text.startsWith(MARK)) {
      const [, role = "", rank = "0"] = text.split(MARK);
      targets.set(id, { role, rank: Number(rank) });
      isTarget[id] = 1;
    }
    return id;
  };
  for (const text of known) add(text);
  return {
    get size() {
      return texts.length;
    },
    add,
    idOf: (text) => ids.get(text) ?? 0,
    textOf: (id) => texts[id] ?? "",
    kindAt(id) {
      if (kinds[id] === NO_KIND) classify(id);
      return kinds[id]!;
    },
    classAt(id) {
      if (kinds[id] === NO_KIND) classify(id);
      return classes[id]!;
    },
    targetAt: (id) => (isTarget[id] === 1 ? (targets.get(id) ?? null) : null),
    texts: () => texts.slice(1),
  };
}

/** A vocabulary for one notebook. New texts are numbered after those of `base`, which is not changed. */
export function extendVocabulary(base: Vocabulary): Vocabulary {
  const from = base.size;
  const own = createVocabulary();
  const idOf = (text: string) => {
    const known = base.idOf(text);
    if (known !== 0 && known < from) return known;
    const added = own.idOf(text);
    return added === 0 ? 0 : from + added - 1;
  };
  return {
    get size() {
      return from + own.size - 1;
    },
    add: (text) => idOf(text) || from + own.add(text) - 1,
    idOf,
    textOf: (id) => (id < from ? base.textOf(id) : own.textOf(id - from + 1)),
    kindAt: (id) => (id < from ? base.kindAt(id) : own.kindAt(id - from + 1)),
    classAt: (id) => (id < from ? base.classAt(id) : own.classAt(id - from + 1)),
    targetAt: (id) => (id < from ? base.targetAt(id) : own.targetAt(id - from + 1)),
    texts: () => [...base.texts(), ...own.texts()],
  };
}

function grown(values: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(values.length * 2);
  larger.set(values);
  return larger;
}
