import type { Database } from "./database.js";

/**
 * All of it, or nothing. Not the driver's own `transaction`: where SQLite has rolled back by itself (a full disk), that one
 * rolls back again, fails, and hides the reason.
 */
export function inTransaction<T>(database: Database, action: () => T, kind: "immediate" | "deferred" = "immediate"): T {
  database.exec(`begin ${kind}`);
  try {
    const result = action();
    database.exec("commit");
    return result;
  } catch (error) {
    if (database.inTransaction) rollback(database);
    throw error;
  }
}

/** A connection that cannot even roll back is as good as gone; the first error says why. */
function rollback(database: Database): void {
  try {
    database.exec("rollback");
  } catch {
    database.close();
  }
}
