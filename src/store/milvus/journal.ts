import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { performance } from "node:perf_hooks";
import { z } from "zod";
import { RecommenderError } from "../../errors.js";
import { isIn } from "./expression.js";
import { ANCHOR } from "./rows.js";
import { type Tables, WINDOW } from "./tables.js";

export const LAYOUT = 5;

/**
 * The two collections of an index. A row of the journal names the current collections; changing this row switches to
 * new ones.
 */
const generation = z.object({
  /** Layout version; increased with every change of the collections' fields. */
  layout: z.literal(LAYOUT),
  cells: z.string(),
  notebooks: z.string(),
  identity: z.object({
    embedder: z.string(),
    dimensions: z.int(),
    labeller: z.string(),
    labels: z.array(z.string()),
  }),
  /** Whether search is exact (without a graph). */
  exact: z.boolean(),
  /** Whether the server can search it by words. */
  words: z.boolean(),
});

export type Generation = z.output<typeof generation>;

interface JournalRow {
  readonly id: string;
  readonly kind: "current" | "write" | "rebuild";
  /** The machine and the process id. */
  readonly process: string;
  /** Time of the last heartbeat. */
  readonly beat: number | string;
  /** JSON. */
  readonly about: string;
}

/** An open write: notebooks that a process is writing, or was writing when it died. */
export interface OpenWrite {
  readonly id: string;
  readonly isDead: boolean;
  readonly notebooks: readonly string[];
  /** Empty until a row is written. */
  readonly stamp: string;
}

export interface JournalState {
  readonly current: Generation | null;
  /** Whether the index has the layout of another version. */
  readonly isOutdated: boolean;
  readonly writes: readonly OpenWrite[];
  /** Operations that replace the whole index, for which writers wait. */
  readonly rebuilds: readonly { readonly id: string; readonly isDead: boolean; readonly what: string }[];
}

/** A running operation, with heartbeats until `end`. */
export interface Entry {
  readonly id: string;
  update(about: unknown): Promise<void>;
  /**
   * Throws if the last heartbeat is so old that others may consider this process dead. Call it before irreversible
   * steps.
   */
  assertAlive(): void;
  /** Removes the entry; if the operation left something behind, only stops the heartbeats, so that a sweep finds it. */
  end(isClean?: boolean): Promise<void>;
}

export type Journal = ReturnType<typeof createJournal>;

/** A process on another machine without a heartbeat for this long counts as dead. Clocks may differ by less. */
const HEARTBEAT_TIMEOUT_MS = 300_000;
const HEARTBEAT_MS = 30_000;
const FIELDS = ["id", "kind", "process", "beat", "about"] as const;

/** The running operations of an index, in a small collection of its own. All reads are strong. */
export function createJournal(tables: Tables, name: string) {
  const put = (row: JournalRow) => tables.upsert(name, [{ ...row, anchor: ANCHOR }]);

  return {
    name,

    async read(): Promise<JournalState> {
      const rows = await tables.query<JournalRow>(name, "", WINDOW, { fields: FIELDS, level: "Strong" });
      const current = rows.find(({ kind }) => kind === "current");
      const parsed = current && generation.safeParse(JSON.parse(current.about));
      const of = (kind: string) =>
        rows.flatMap((row) =>
          row.kind === kind ? [{ id: row.id, isDead: isDead(row), ...(JSON.parse(row.about) as object) }] : [],
        );
      return {
        current: parsed?.data ?? null,
        isOutdated: parsed?.success === false,
        writes: of("write") as unknown as OpenWrite[],
        rebuilds: of("rebuild") as unknown as JournalState["rebuilds"],
      };
    },

    async begin(kind: "write" | "rebuild", about: unknown): Promise<Entry> {
      const id = `${kind}/${newStamp()}`;
      let said = JSON.stringify(about);
      let last = 0;
      const beat = async () => {
        const start = performance.now();
        await put({ id, kind, process: PROCESS, beat: Date.now(), about: said });
        last = start;
      };
      await beat();
      let beating: Promise<void> = Promise.resolve();
      const timer = setInterval(() => {
        // A failed heartbeat is ignored here; `assertAlive` detects it.
        beating = beat().catch(() => undefined);
      }, HEARTBEAT_MS).unref();
      return {
        id,
        update(next) {
          said = JSON.stringify(next);
          return beat();
        },
        assertAlive() {
          if (performance.now() - last <= HEARTBEAT_TIMEOUT_MS / 2) return;
          const message =
            "Milvus took so long that other writers may count this one as dead; nothing was changed. Try again.";
          throw new RecommenderError("STORE_UNAVAILABLE", message);
        },
        async end(isClean = true) {
          clearInterval(timer);
          await beating;
          if (isClean) await tables.removeWhere(name, isIn("id", [id]));
        },
      };
    },

    publish: (next: Generation) =>
      put({ id: "current", kind: "current", process: PROCESS, beat: Date.now(), about: JSON.stringify(next) }),

    forget: (ids: readonly string[]) => tables.removeWhere(name, isIn("id", ids)),
  };
}

/** A unique name, ordered by time; greater than `after` even if clocks differ. */
export function newStamp(after = ""): string {
  const min = after === "" ? 0 : Number.parseInt(after.slice(0, TIME_DIGITS), 36) + 1;
  const time = Math.max(Date.now(), min).toString(36).padStart(TIME_DIGITS, "0");
  return `${time}${randomBytes(5).toString("hex")}`;
}

const TIME_DIGITS = 9;
/** Process numbers are unique within one namespace; a container has its own. */
const PLACE = `${hostname()} ${processNamespace()}`;
const PROCESS = `${PLACE} ${process.pid}`;

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Whether a process of this machine is alive; needs no heartbeat. */
function isDead({ process: other, beat }: JournalRow): boolean {
  if (Date.now() - Number(beat) > HEARTBEAT_TIMEOUT_MS) return true;
  const cut = other.lastIndexOf(" ");
  if (other.slice(0, cut) !== PLACE) return false;
  try {
    process.kill(Number(other.slice(cut + 1)), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
