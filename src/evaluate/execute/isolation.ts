import { z } from "zod";

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

/** The same for people; null where everything is closed. */
export function warnOf(isolation: Isolation): string | null {
  const open = notIsolated(isolation);
  if (open.length === 0) return null;
  const why = isolation.reason === undefined ? "" : ` (${isolation.reason})`;
  return `This machine does not allow a whole sandbox${why}: cells are not kept from its ${open.join(", ")}. Do not run the code of strangers here.`;
}
