import { randomBytes } from "node:crypto";
import { describeMismatch } from "../identity.js";
import type { IndexIdentity } from "../vector-store.js";
import type { Database } from "./database.js";

/** Reads who made the index; makes it this identity's where it is new. The generation changes with every rewrite. */
export function readIdentity(database: Database): { identity: IndexIdentity; generation: string } | null {
  const rows = database.prepare("select key, value from meta").raw().all() as [string, string][];
  if (rows.length === 0) return null;
  const meta = Object.fromEntries(rows);
  return { identity: JSON.parse(meta.identity!) as IndexIdentity, generation: meta.generation! };
}

/** Call inside a transaction. */
export function writeIdentity(database: Database, identity: IndexIdentity): string {
  const generation = randomBytes(6).toString("hex");
  const put = database.prepare<[string, string]>("insert or replace into meta (key, value) values (?, ?)");
  put.run("identity", JSON.stringify(identity));
  put.run("generation", generation);
  return generation;
}

export function checkIdentity(folder: string, found: IndexIdentity, wanted: IndexIdentity): void {
  const mismatch = describeMismatch(`The index in ${folder}`, found, wanted);
  if (mismatch !== null) throw mismatch;
}
