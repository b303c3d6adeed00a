import { z } from "zod";
import { RecommenderError } from "../../errors.js";

/** Which parts of the sandbox the machine allows. */
export const isolationSchema = z.object({
  /** What makes the sandbox: bubblewrap, this project itself, or nobody. */
  tool: z.enum(["bubblewrap", "own", "none"]),
  network: z.boolean(),
  files: z.boolean(),
  processes: z.boolean(),
  user: z.boolean(),
  reason: z.string().optional(),
});

export type Isolation = z.output<typeof isolationSchema>;

/** What cells are not kept from on this machine. */
export function notIsolated({ network, files, processes }: Isolation): string[] {
  return Object.entries({ network, files, processes }).flatMap(([part, isClosed]) => (isClosed ? [] : [part]));
}

/** The same for people; null where bubblewrap keeps everything closed. */
export function warnOf(isolation: Isolation): string | null {
  const open = notIsolated(isolation);
  const why = isolation.reason === undefined ? "" : ` (${isolation.reason})`;
  if (open.length > 0)
    return `This machine does not allow a whole sandbox${why}: cells are not kept from its ${open.join(", ")}. Do not run the code of strangers here.`;
  if (isolation.tool === "bubblewrap") return null;
  return `bubblewrap is not used${why || ": it is not installed"}. Cells run in celrec's own sandbox, which fewer people have examined. To use bubblewrap: apt-get install bubblewrap.`;
}

/** Refuses to execute what a language model wrote without bubblewrap, unless the user allows it. */
export function requireBubblewrap(isolation: Isolation, isAllowed: boolean): void {
  if (isolation.tool === "bubblewrap" || isAllowed) return;
  throw new RecommenderError(
    "TARGET_FAILED",
    "Predictions of a language model are executed only in a sandbox of bubblewrap, which is not available. Install it (apt-get install bubblewrap), or allow a weaker sandbox with --allow-weak-sandbox.",
  );
}
