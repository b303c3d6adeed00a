import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import type { Scope } from "./route.js";

interface Token {
  readonly hash: Buffer;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Who may do what. */
export interface Tokens {
  /** Whether any token is asked for at all. */
  readonly isOn: boolean;
  count(): number;
  /** The token that was given, or null where it is none of ours. */
  find(given: string): Pick<Token, "name" | "scopes"> | null;
}

interface TokenOptions {
  readonly clock?: () => number;
  /** A file that was read before and cannot be now. */
  readonly onTrouble?: (error: RecommenderError) => void;
}

const SCOPES = ["read", "write", "admin"] as const;
/** A changed file counts after this many milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** The token of the configuration, and those of a file, which may change while the service runs. */
export function createTokens(
  { token, tokensFile }: Pick<Config, "token" | "tokensFile">,
  { clock = () => performance.now(), onTrouble = () => {} }: TokenOptions = {},
): Tokens {
  const fixed: Token[] =
    token === undefined ? [] : [{ hash: hashOf(token), name: "CELREC_TOKEN", scopes: [...SCOPES] }];
  const readFile = tokensFile === undefined ? () => [] : createFileReader(tokensFile, clock, onTrouble);
  return {
    isOn: token !== undefined || tokensFile !== undefined,
    count: () => fixed.length + readFile().length,
    find(given) {
      const hash = digest(given);
      // All are compared, so that the time tells nothing of which one is near.
      const [found] = [...fixed, ...readFile()].filter((each) => timingSafeEqual(each.hash, hash));
      return found ?? null;
    },
  };
}

/** Reads the file at once, and again when it has changed. While it is broken or gone, those count that it held before. */
function createFileReader(
  file: string,
  clock: () => number,
  onTrouble: (error: RecommenderError) => void,
): () => readonly Token[] {
  let changed = changeOf(file);
  let tokens = parseTokens(file);
  let looked = clock();
  let trouble = "";
  return () => {
    if (clock() - looked < LOOK_AGAIN_MS) return tokens;
    looked = clock();
    const now = changeOf(file);
    if (now === changed) return tokens;
    try {
      tokens = parseTokens(file);
      changed = now;
      trouble = "";
    } catch (error) {
      if (!(error instanceof RecommenderError)) throw error;
      // It is read again every second, and told once.
      if (error.message !== trouble) onTrouble(error);
      trouble = error.message;
    }
    return tokens;
  };
}

/** Milliseconds of the last change; -1 where there is no file. */
function changeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

/** One token a line: its scopes, the sha-256 of it in hex, and a name. `#` starts a comment. */
function parseTokens(file: string): Token[] {
  return readText(file)
    .split("\n")
    .flatMap((line, at): Token[] => {
      const [scopes = "", hash = "", ...name] = line.replace(/#.*/, "").trim().split(/\s+/);
      if (scopes === "") return [];
      const known = scopes.split(",").filter((scope) => (SCOPES as readonly string[]).includes(scope)) as Scope[];
      if (known.length !== scopes.split(",").length)
        refuse(file, `line ${at + 1} has a scope that is none of ${SCOPES.join(", ")}`);
      if (!/^[0-9a-f]{64}$/i.test(hash)) refuse(file, `line ${at + 1} has no sha-256 in hex behind its scopes`);
      return [{ hash: Buffer.from(hash, "hex"), name: name.join(" ") || `line ${at + 1}`, scopes: known }];
    });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return refuse(file, code === "ENOENT" ? "it is not there" : message, cause);
  }
}

function refuse(file: string, reason: string, cause?: unknown): never {
  throw new RecommenderError("CONFIG_INVALID", `The file of tokens ${file} cannot be used: ${reason}.`, { cause });
}

function hashOf(token: string): Buffer {
  const [, hash] = /^sha256:([0-9a-f]{64})$/i.exec(token) ?? [];
  return hash === undefined ? digest(token) : Buffer.from(hash, "hex");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
