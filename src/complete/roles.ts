import { BUILTINS } from "../python/lex.js";
import { roleOfCall } from "./role-table.js";
import type { CodeToken } from "./tokens.js";

/** The usual role of a name in a corpus. It is used for variables whose assignment is not visible. */
export type NameRoles = ReadonlyMap<string, string>;

/** A mention of a variable. `rank` is the number of variables of the same role that were mentioned since. */
export interface Mention {
  readonly role: string;
  readonly rank: number;
}

/**
 * The variables of a notebook up to some position, with their roles and the order of their last mentions. It depends
 * only on earlier text, so a half-typed notebook is read like a finished one.
 */
export interface Scope {
  /** Reads one statement (the tokens between two line breaks) and returns the mention of each token that is a variable. */
  readStatement(tokens: readonly CodeToken[]): readonly (Mention | null)[];
  /** The role and rank of this name at this position; null if it is no variable. */
  mentionOf(name: string): Mention | null;
  /** The variable with this role and rank; null if there is none. */
  nameOf(role: string, rank: number): string | null;
  /** Whether the name is bound: a variable, a function, a class or an import. */
  isBound(name: string): boolean;
  /** Whether a statement used the name as a variable, although none is seen to bind it. */
  isMentioned(name: string): boolean;
  /** How often a bound name was mentioned since it was bound. */
  usesOf(name: string): number;
  /** Whether any import was read. */
  hasImports(): boolean;
  roleOf(name: string): string | null;
  /** Bound names, in the order of their last mention, the latest last. */
  names(): readonly string[];
  bind(name: string, role: string): void;
  /** A read-only scope after one more mention of a bound name. `fork` it before changing it. */
  withMention(name: string): Scope;
  fork(): Scope;
}

/** Roles of imported names, and of variables whose role is unknown. */
export const IMPORTED = "import";
export const UNKNOWN = "var";
const MAX_NAMES = 2_000;

/** Starts with the variables of `initial`, as a running kernel reports them. */
export function createScope(usualRoles: NameRoles, initial: Iterable<readonly [string, string]> = []): Scope {
  const scope = scopeOf(usualRoles, { bound: new Map(), byRole: new Map(), uses: new Map(), unbound: new Set() });
  for (const [name, role] of initial) scope.bind(name, role);
  return scope;
}

interface Bindings {
  /** The role of each bound name, in the order of the last mention. */
  readonly bound: Map<string, string>;
  /** The names of each role, the most recently mentioned last. */
  readonly byRole: Map<string, string[]>;
  readonly uses: Map<string, number>;
  /** Names that were used as variables before anything bound them. */
  readonly unbound: Set<string>;
}

function scopeOf(usualRoles: NameRoles, { bound, byRole, uses, unbound }: Bindings): Scope {
  const shown = (name: string, role: string) =>
    role === UNKNOWN || role === "parameter" ? (usualRoles.get(name) ?? role) : role;
  const roleOf = (name: string): string | null => {
    const role = bound.get(name);
    return role === undefined ? null : shown(name, role);
  };
  const mentionOf = (name: string): Mention | null => {
    const role = roleOf(name);
    if (role === IMPORTED) return null;
    if (role !== null) {
      const names = byRole.get(role)!;
      return { role, rank: names.length - 1 - names.lastIndexOf(name) };
    }
    const assumed = BUILTINS.has(name) ? undefined : usualRoles.get(name);
    // The name is not assigned here but has a usual role: it is about to be assigned, or its assignment is not visible.
    return assumed === undefined ? null : { role: assumed, rank: -1 };
  };
  const unbind = (name: string) => {
    const role = roleOf(name);
    if (role === null) return;
    const names = byRole.get(role)!;
    names.splice(names.lastIndexOf(name), 1);
    bound.delete(name);
  };
  const bind = (name: string, role: string) => {
    unbind(name);
    bound.set(name, role);
    const key = shown(name, role);
    const names = byRole.get(key);
    if (names === undefined) byRole.set(key, [name]);
    else names.push(name);
    if (bound.size > MAX_NAMES) unbind(bound.keys().next().value!);
  };
  return {
    readStatement(tokens) {
      const mentions: (Mention | null)[] = [];
      for (const [index, token] of tokens.entries()) {
        const isPlain = isPlainName(tokens, index);
        const mention = isPlain ? mentionOf(token.text) : null;
        mentions.push(mention);
        const role = isPlain ? bound.get(token.text) : undefined;
        if (isPlain && role === undefined) unbound.add(token.text);
        if (role === undefined) continue;
        uses.set(token.text, (uses.get(token.text) ?? 0) + 1);
        if (mention !== null) bind(token.text, role);
      }
      for (const [name, role] of findBindings(tokens, (name) => roleOf(name) ?? usualRoles.get(name) ?? null)) {
        bind(name, role);
        uses.delete(name);
      }
      return mentions;
    },
    mentionOf,
    nameOf: (role, rank) => byRole.get(role)?.at(-1 - rank) ?? null,
    isBound: (name) => bound.has(name),
    isMentioned: (name) => unbound.has(name),
    usesOf: (name) => uses.get(name) ?? 0,
    hasImports: () => (byRole.get(IMPORTED)?.length ?? 0) > 0,
    roleOf,
    names: () => [...bound.keys()],
    bind,
    withMention(name) {
      const role = roleOf(name);
      if (role === null) return scopeOf(usualRoles, { bound, byRole, uses, unbound });
      const names = byRole.get(role)!.filter((other) => other !== name);
      return scopeOf(usualRoles, { bound, byRole: new Map(byRole).set(role, [...names, name]), uses, unbound });
    },
    fork: () =>
      scopeOf(usualRoles, {
        bound: new Map(bound),
        uses: new Map(uses),
        unbound: new Set(unbound),
        byRole: new Map([...byRole].map(([role, names]) => [role, [...names]])),
      }),
  };
}

/** Whether the token can be a variable: not an attribute, a keyword argument or part of an import. */
export function isPlainName(tokens: readonly CodeToken[], index: number): boolean {
  const token = tokens[index]!;
  if (token.kind !== "name") return false;
  if (tokens[index - 1]?.text === ".") return false;
  const first = tokens[0]!.text;
  if (first === "import" || first === "from") return false;
  return !(tokens[index + 1]?.text === "=" && isInCall(tokens, index));
}

function isInCall(tokens: readonly CodeToken[], index: number): boolean {
  let depth = 0;
  for (let at = index - 1; at >= 0; at -= 1) {
    const { text } = tokens[at]!;
    if (text === ")" || text === "]" || text === "}") depth += 1;
    else if (text === "(" || text === "[" || text === "{") {
      if (depth === 0) return text === "(";
      depth -= 1;
    }
  }
  return false;
}

type RoleOf = (name: string) => string | null;

/** The names that a statement binds, with their roles. */
export function findBindings(tokens: readonly CodeToken[], roleOf: RoleOf): [string, string][] {
  const first = tokens[0]?.text;
  if (first === undefined) return [];
  if (first === "import" || first === "from") return readImports(tokens);
  const bindings: [string, string][] = [];
  if (first === "def" || first === "async" || first === "class") readDefinition(tokens, bindings);
  for (const [index, { text, kind }] of tokens.entries()) {
    if (kind !== "keyword") continue;
    if (text === "for") readLoop(tokens, index, roleOf, bindings);
    else if (text === "lambda") readParameters(tokens, index + 1, ":", bindings);
    else if (text === "as" && tokens[index + 1]?.kind === "name") {
      const role = first === "except" ? "exception" : roleOfExpression(tokens, 1, index, roleOf);
      bindings.push([tokens[index + 1]!.text, role]);
    }
  }
  readAssignment(tokens, roleOf, bindings);
  return bindings;
}

function readImports(tokens: readonly CodeToken[]): [string, string][] {
  const bindings: [string, string][] = [];
  const start = tokens[0]!.text === "from" ? tokens.findIndex(({ text }) => text === "import") + 1 : 1;
  if (start === 0) return [];
  for (let at = start; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind !== "name" || tokens[at - 1]?.text === ".") continue;
    if (tokens[at + 1]?.text !== "as") bindings.push([text, IMPORTED]);
  }
  return bindings;
}

function readDefinition(tokens: readonly CodeToken[], bindings: [string, string][]): void {
  const at = tokens.findIndex(({ text }) => text === "def" || text === "class");
  const name = tokens[at + 1];
  if (at === -1 || name?.kind !== "name") return;
  if (tokens[at]!.text === "def") readParameters(tokens, at + 3, ")", bindings);
  bindings.push([name.text, tokens[at]!.text === "def" ? "function" : "class"]);
}

function readParameters(tokens: readonly CodeToken[], from: number, end: string, bindings: [string, string][]): void {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (depth === 0 && text === end) return;
    if (text === "(" || text === "[" || text === "{") depth += 1;
    if (text === ")" || text === "]" || text === "}") depth -= 1;
    const before = tokens[at - 1]?.text;
    if (depth === 0 && kind === "name" && before !== undefined && /^(?:\(|,|\*|\*\*|lambda)$/.test(before))
      bindings.push([text, "parameter"]);
  }
}

function readLoop(tokens: readonly CodeToken[], index: number, roleOf: RoleOf, bindings: [string, string][]): void {
  let at = index + 1;
  const targets: string[] = [];
  for (; at < tokens.length && tokens[at]!.text !== "in"; at += 1)
    if (tokens[at]!.kind === "name") targets.push(tokens[at]!.text);
  if (at >= tokens.length) return;
  const end = endOfExpression(tokens, at + 1);
  const over = tokens[at + 1]?.kind === "name" && tokens[at + 2]?.text === "(" ? tokens[at + 1]!.text : null;
  const role =
    over === "range" || over === "enumerate" || over === "zip"
      ? over
      : roleOfExpression(tokens, at + 1, end, roleOf).replace(/^call /, "");
  for (const [place, name] of targets.entries())
    bindings.push([name, targets.length === 1 ? `each ${role}` : `each ${role} ${place}`]);
}

function endOfExpression(tokens: readonly CodeToken[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const { text } = tokens[at]!;
    if (text === "(" || text === "[" || text === "{") depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    if (depth < 0 || (depth === 0 && (text === ":" || text === "if" || text === "for"))) return at;
  }
  return tokens.length;
}

function readAssignment(tokens: readonly CodeToken[], roleOf: RoleOf, bindings: [string, string][]): void {
  let depth = 0;
  let start = 0;
  const targetRanges: [number, number][] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const { text } = tokens[at]!;
    if (text === "(" || text === "[" || text === "{") depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    else if (depth === 0 && text === "=") {
      targetRanges.push([start, at]);
      start = at + 1;
    }
  }
  if (targetRanges.length === 0) return;
  for (const [from, to] of targetRanges) {
    const names = plainTargets(tokens, from, to);
    if (names.length === 1) bindings.push([names[0]!, roleOfExpression(tokens, start, tokens.length, roleOf)]);
    else if (names.length > 1) {
      const parts = splitAtCommas(tokens, start, tokens.length);
      const role = parts.length === names.length ? null : roleOfExpression(tokens, start, tokens.length, roleOf);
      for (const [place, name] of names.entries()) {
        if (role !== null) bindings.push([name, `${role.replace(/^call /, "")} ${place}`]);
        else bindings.push([name, roleOfExpression(tokens, ...parts[place]!, roleOf)]);
      }
    }
  }
}

/** The names on the left of an assignment; empty if any target is not a plain name. */
function plainTargets(tokens: readonly CodeToken[], from: number, to: number): string[] {
  const names: string[] = [];
  for (let at = from; at < to; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind === "name" && (tokens[at - 1]?.text === "," || tokens[at - 1]?.text === "(" || at === from))
      names.push(text);
    else if (text === ":" && at === from + 1) return names;
    else if (text !== "," && text !== "(" && text !== ")" && text !== "*" && text !== "_") return [];
  }
  return names;
}

function splitAtCommas(tokens: readonly CodeToken[], from: number, to: number): [number, number][] {
  const parts: [number, number][] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < to; at += 1) {
    const { text } = tokens[at]!;
    if (text === "(" || text === "[" || text === "{") depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    else if (depth === 0 && text === ",") {
      parts.push([start, at]);
      start = at + 1;
    }
  }
  parts.push([start, to]);
  return parts;
}

const COMPARISON = new Set(["==", "!=", "<", ">", "<=", ">=", "in", "not", "and", "or", "is"]);
const ARITHMETIC = new Set(["+", "-", "*", "/", "//", "%", "**", "@", "&", "|"]);

/** The role of an expression's value, determined by its last call. */
function roleOfExpression(tokens: readonly CodeToken[], from: number, to: number, roleOf: RoleOf): string {
  const first = tokens[from];
  if (first === undefined || from >= to) return UNKNOWN;
  let depth = 0;
  for (let at = from; at < to; at += 1) {
    const { text, kind } = tokens[at]!;
    if (text === "(" || text === "[" || text === "{") depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    else if (depth === 0 && at > from && COMPARISON.has(text)) return "condition";
    else if (depth === 0 && at > from && (ARITHMETIC.has(text) || text === "if"))
      return roleOfExpression(tokens, from, at, roleOf);
    else if (depth === 0 && text === ",") return "tuple";
    else if (kind === "keyword" && text === "lambda" && at === from) return "function";
  }
  return roleOfPrimary(tokens, from, to, roleOf);
}

function roleOfPrimary(tokens: readonly CodeToken[], from: number, to: number, roleOf: RoleOf): string {
  const last = tokens[to - 1]!;
  const first = tokens[from]!;
  if (to - from === 1) {
    if (last.kind === "number") return "number";
    if (last.kind === "string") return "text";
    if (last.kind === "name") return roleOf(last.text) ?? UNKNOWN;
    return last.text === "True" || last.text === "False" ? "flag" : UNKNOWN;
  }
  if (last.text === ")") {
    const open = openingOf(tokens, from, to - 1);
    const callee = tokens[open - 1];
    if (open === from) return roleOfExpression(tokens, from + 1, to - 1, roleOf);
    if (callee?.kind !== "name") return UNKNOWN;
    const isMethod = tokens[open - 2]?.text === ".";
    const receiver = isMethod && open - 2 > from ? roleOfPrimary(tokens, from, open - 2, roleOf) : null;
    return roleOfCall(callee.text, receiver === UNKNOWN ? null : receiver);
  }
  if (last.text === "]") {
    const open = openingOf(tokens, from, to - 1);
    if (open === from) return "list";
    const base = roleOfPrimary(tokens, from, open, roleOf);
    const inside = tokens[open + 1]!;
    if (base === "frame" || base === "groupby") return inside.kind === "string" && open + 3 === to ? "series" : base;
    return inside.kind === "number" || inside.kind === "name" ? `item ${base}` : base;
  }
  if (last.text === "}") return "dict";
  if (last.kind === "name" && tokens[to - 2]?.text === ".") {
    if (["values", "T", "loc", "iloc"].includes(last.text))
      return last.text === "values" ? "array" : roleOfPrimary(tokens, from, to - 2, roleOf);
    return `attribute ${last.text}`;
  }
  return first.kind === "string" ? "text" : UNKNOWN;
}

function openingOf(tokens: readonly CodeToken[], from: number, close: number): number {
  let depth = 0;
  for (let at = close; at > from; at -= 1) {
    const { text } = tokens[at]!;
    if (text === ")" || text === "]" || text === "}") depth += 1;
    else if (text === "(" || text === "[" || text === "{") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return from;
}
