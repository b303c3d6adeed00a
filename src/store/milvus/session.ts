import { RecommenderError } from "../../errors.js";
import { describeMismatch } from "../identity.js";
import type { IndexIdentity } from "../vector-store.js";
import type { Collections } from "./collections.js";
import { codeOf } from "./failure.js";
import type { Generation, Generations } from "./generations.js";
import type { Leases } from "./lease.js";
import { findLegacy } from "./legacy.js";

export interface SessionDeps {
  readonly collections: Collections;
  readonly generations: Generations;
  readonly leases: Leases;
  readonly identity: IndexIdentity;
  readonly address: string;
  readonly prefix: string;
}

/** Another process makes the index in a few seconds, if it does. */
const CREATE_PATIENCE_MS = 60_000;

export type Session = ReturnType<typeof createSession>;

/** The generation that this process works with: found or made on first use, and again when another process replaced it. */
export function createSession({ collections, generations, leases, identity, address, prefix }: SessionDeps) {
  let opening: Promise<Generation> | null = null;

  const forget = (attempt: Promise<Generation> | null = opening) => {
    if (opening === attempt) opening = null;
  };

  const current = (): Promise<Generation> => {
    if (opening === null) {
      const attempt = findOrCreate();
      opening = attempt;
      attempt.catch(() => forget(attempt));
    }
    return opening;
  };

  const findOrCreate = async (): Promise<Generation> => {
    const found = (await generations.find()) ?? (await createFirst());
    const mismatch = describeMismatch(`The index ${prefix} in Milvus at ${address}`, found.identity, identity);
    if (mismatch !== null) throw mismatch;
    if (!found.votes) throw older();
    return found;
  };

  const older = () => {
    const message = `The index ${prefix} in Milvus at ${address} was made by an older version. Convert it: celrec reembed`;
    return new RecommenderError("INDEX_MISMATCH", message);
  };

  const createFirst = async (): Promise<Generation> => {
    if ((await findLegacy(collections, prefix)) !== null) throw older();
    await generations.createJournal();
    const lease = await leases.take({ what: "make it", stops: false }, CREATE_PATIENCE_MS);
    if (lease === null) throw leases.refusal("make it");
    try {
      const found = await generations.find();
      if (found !== null) return found;
      const made = await generations.create(identity, true);
      await generations.publish(made);
      return made;
    } finally {
      await leases.release(lease);
    }
  };

  return {
    current,
    forget: () => forget(),
    replaceBy(next: Generation) {
      opening = Promise.resolve(next);
    },

    /** A process that rewrote or emptied the index dropped the collections known here, so a refusal is looked into once. */
    async use<T>(action: (generation: Generation) => Promise<T>): Promise<T> {
      const attempt = current();
      const generation = await attempt;
      try {
        return await action(generation);
      } catch (error) {
        if (codeOf(error) === null) throw error;
        forget(attempt);
        const now = await current();
        if (now.cells === generation.cells) throw error;
        return action(now);
      }
    },
  };
}
