import type { Mention, Scope } from "./roles.js";
import { CELL_END, type CodeToken } from "./tokens.js";
import { MARK } from "./vocabulary.js";

/**
 * A notebook as token numbers, in three versions: as written (`concrete`), as context of roles (`abstract`), and as
 * prediction target. In `abstract` a variable is its role and a literal its kind; as target a variable is (role, rank).
 */
export interface TokenStream {
  readonly tokens: CodeToken[];
  readonly concrete: string[];
  readonly abstract: string[];
  readonly target: string[];
  /** The cell of each token, counted from 0. */
  readonly cell: number[];
}

/** Number of distinguished ranks. All variables of a role that were mentioned longer ago have the last rank. */
export const RANKS = 4;
const STRING_CLASS = `${MARK}string`;
const NUMBER_CLASS = `${MARK}number`;

export function emptyStream(): TokenStream {
  return { tokens: [], concrete: [], abstract: [], target: [], cell: [] };
}

/**
 * Appends a cell to a stream, and its names to the scope. If `isWhole`, also appends a token for the end of the cell.
 */
export function appendCell(stream: TokenStream, scope: Scope, tokens: readonly CodeToken[], isWhole = true): void {
  const cell = (stream.cell.at(-1) ?? -1) + 1;
  let start = 0;
  for (let at = 0; at <= tokens.length; at += 1) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== "line" && token.text !== ";") continue;
    const statement = tokens.slice(start, at);
    const mentions = statement.length === 0 ? [] : scope.readStatement(statement);
    for (const [index, part] of statement.entries()) push(stream, cell, part, mentions[index]!);
    if (token !== undefined) push(stream, cell, token, null);
    start = at + 1;
  }
  if (isWhole) push(stream, cell, CELL_END, null);
}

/** Appends a token of an unfinished statement; binds no name. */
export function push(stream: TokenStream, cell: number, token: CodeToken, mention: Mention | null): void {
  stream.tokens.push(token);
  stream.concrete.push(token.text);
  stream.abstract.push(abstractOf(token, mention));
  stream.target.push(targetOf(token, mention));
  stream.cell.push(cell);
}

export function abstractOf(token: CodeToken, mention: Mention | null): string {
  if (mention !== null) return `${MARK}${mention.role}`;
  if (token.kind === "string") return STRING_CLASS;
  return token.kind === "number" ? NUMBER_CLASS : token.text;
}

function targetOf(token: CodeToken, mention: Mention | null): string {
  if (mention === null || mention.rank === -1) return token.text;
  return `${MARK}${mention.role}${MARK}${Math.min(mention.rank, RANKS - 1)}`;
}
