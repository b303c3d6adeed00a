import { describe } from "vitest";
import type { StorePlace } from "./contract/fixtures.js";
import { describeIdentity } from "./contract/identity.js";
import { describeNotebooks } from "./contract/notebooks.js";
import { describeReading } from "./contract/reading.js";
import { describeRewrite } from "./contract/rewrite.js";
import { describeSearch } from "./contract/search.js";
import { describeSources } from "./contract/sources.js";
import { describeText } from "./contract/text.js";
import { describeWriters } from "./contract/writers.js";

export type { StorePlace } from "./contract/fixtures.js";

/**
 * The contract of `VectorStore`, run by every store. `createPlace` gives each test an index of its own.
 *
 * @example
 * describeVectorStore("embedded", async () => {
 *   const folder = await mkdtemp(join(tmpdir(), "celrec-"));
 *   return {
 *     open: (identity) => createEmbeddedStore({ folder, identity }),
 *     drop: () => rm(folder, { recursive: true }),
 *   };
 * });
 */
export function describeVectorStore(name: string, createPlace: () => StorePlace | Promise<StorePlace>): void {
  describe(`the ${name} store`, () => {
    describeNotebooks(createPlace);
    describeWriters(createPlace);
    describeReading(createPlace);
    describeSearch(createPlace);
    describeSources(createPlace);
    describeText(createPlace);
    describeIdentity(createPlace);
    describeRewrite(createPlace);
  });
}
