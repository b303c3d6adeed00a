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
  /** The token that was given, or null where it is none of ours. */
  find(given: string): Pick<Token, "name" | "scopes"> | null;
}

const SCOPES = ["read", "write", "admin"] as const;
/** A changed file counts after this many milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** The token of the configuration, and those of a file, which may change while the service runs. */
export function createTokens(
  { token, tokensFile }: Pick<Config, "token" | "tokensFile">,
  clock: () => number = () => performance.now(),
): Tokens {
  const fixed: Token[] =
    token === undefined ? [] : [{ hash: hashOf(token), name: "CELREC_TOKEN", scopes: [...SCOPES] }];
  const readFile = tokensFile === undefined ? () => [] : createFileReader(tokensFile, clock);
  readFile();
  return {
    isOn: token !== undefined || tokensFile !== undefined,
    find(given) {
      const hash = digest(given);
      // All are compared, so that the time tells nothing of which one is near.
      const [found] = [...fixed, ...readFile()].filter((each) => timingSafeEqual(each.hash, hash));
      return found ?? null;
    },
  };
}

function createFileReader(file: string, clock: () => number): () => readonly Token[] {
  let tokens: readonly Token[] = [];
  let changed = Number.NaN;
  let looked = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock() - looked < LOOK_AGAIN_MS) return tokens;
    looked = clock();
    const { mtimeMs = -1 } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs === changed) return tokens;
    tokens = mtimeMs === -1 ? refuse(file, "it is not there") : parseTokens(file);
    changed = mtimeMs;
    return tokens;
  };
}

/** One token a line: its scopes, the sha-256 of it in hex, and a name. `#` starts a comment. */
function parseTokens(file: string): Token[] {
  return readFileSync(file, "utf8")
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

function refuse(file: string, reason: string): never {
  throw new RecommenderError("CONFIG_INVALID", `The file of tokens ${file} cannot be used: ${reason}.`);
}

function hashOf(token: string): Buffer {
  const [, hash] = /^sha256:([0-9a-f]{64})$/i.exec(token) ?? [];
  return hash === undefined ? digest(token) : Buffer.from(hash, "hex");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
