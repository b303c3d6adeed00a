import { createCollections } from "../../../src/store/milvus/collections.js";
import { createCollector } from "../../../src/store/milvus/collector.js";
import { createConnection } from "../../../src/store/milvus/connection.js";
import { createGenerations } from "../../../src/store/milvus/generations.js";
import { createJournal } from "../../../src/store/milvus/journal.js";
import { createLeases } from "../../../src/store/milvus/lease.js";
import { createMortality } from "../../../src/store/milvus/pulse.js";
import { createTables, type Tables } from "../../../src/store/milvus/tables.js";
import { createTidy } from "../../../src/store/milvus/tidy.js";
import { createTrash } from "../../../src/store/milvus/trash.js";
import { createVisibility } from "../../../src/store/milvus/visibility.js";
import { createWrites } from "../../../src/store/milvus/writes.js";
import type { MilvusPlace } from "./server.js";

/** It gives no second sign of life, which would be one of the changes. */
const LONG_MS = 60_000;

/** The parts of a store that change the index, of a process that ends after some changes. */
export function partsThatBreak({ address, prefix }: MilvusPlace, steps: number) {
  const connection = createConnection({ address, timeoutMs: 10_000 });
  const tables = breakingAfter(createTables(connection), steps);
  const journal = createJournal(tables, `${prefix}_journal`);
  const mortality = createMortality(LONG_MS);
  const leases = createLeases(journal, mortality, address);
  const collections = createCollections(connection);
  const generations = createGenerations({ collections, tables, journal, address, prefix });
  const visibility = createVisibility(tables);
  const writes = createWrites({ tables, journal, leases, mortality });
  const tidy = createTidy({ tables, journal, visibility, writes });
  const collector = createCollector({
    tables,
    journal,
    visibility,
    mortality,
    tidy,
    trash: createTrash(tables, journal),
  });
  return { connection, generations, leases, writes, tidy, collector };
}

/** As if the process ended: the first changes arrive, the next one never does, and neither does any other. */
function breakingAfter(tables: Tables, steps: number): Tables {
  let left = steps;
  const step = () => {
    left -= 1;
    if (left < 0) throw new Error("broke off");
  };
  return {
    ...tables,
    async insert(name, rows) {
      if (rows.length > 0) step();
      await tables.insert(name, rows);
    },
    async upsert(name, rows, options) {
      if (rows.length > 0) step();
      await tables.upsert(name, rows, options);
    },
    async remove(name, removed, options) {
      if (removed.length > 0) step();
      await tables.remove(name, removed, options);
    },
  };
}
