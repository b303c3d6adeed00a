import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createClient } from "../ask/client.js";
import { type Config, isLoopback } from "../config.js";
import type { Backend } from "../mcp/backend.js";
import { createServiceBackend } from "../mcp/service-backend.js";
import { makeFolders } from "../notebook/file-system.js";

/** Who serves an index, for programs of the same user that would rather ask than open it once more. */
const note = z.object({ pid: z.int().min(1), url: z.url({ protocol: /^http$/ }).refine(isHere) });
type ServiceNote = z.output<typeof note>;

const FILE = "service.json";

/** A folder may come from anywhere, and a note in it must not send questions and tokens to another machine. */
function isHere(url: string): boolean {
  return isLoopback(new URL(url).hostname);
}

/**
 * Leaves a note in the folder of the index; returns what takes it away. A service that listens on another address only
 * leaves none, nor does one that cannot: on a full disk it serves without.
 */
export function writeServiceNote(folder: string, { pid, url }: ServiceNote): () => void {
  if (!isHere(url)) return () => {};
  const file = join(folder, FILE);
  try {
    makeFolders(folder);
    writeFileSync(file, JSON.stringify({ pid, url }), { mode: 0o600 });
  } catch {
    return () => {};
  }
  return () => {
    // Another service may have come since.
    if (parseNote(file)?.pid === pid) rmSync(file, { force: true });
  };
}

/** The service of the index; null where there is none, or only the note of one that died. */
export function readServiceNote(folder: string): ServiceNote | null {
  const found = parseNote(join(folder, FILE));
  return found !== null && isAlive(found.pid) ? found : null;
}

function parseNote(file: string): ServiceNote | null {
  try {
    return note.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process lives, too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export type Asked = Omit<Backend, "indexPaths">;

interface ServiceFinder {
  /** The service of the index, if there is one that answers us. */
  find(): Promise<Asked | null>;
  /** It did not answer; look again. */
  forget(): void;
}

/** A service that does not say within this that it lives is not asked. */
const PROBE_MS = 2_000;

export function connectTo(url: string, { token }: Pick<Config, "token">): Asked {
  return createServiceBackend({ url, client: createClient({ url, ...(token !== undefined && { token }) }) });
}

/** Looks for the service of an index by the note that it leaves there. */
export function createServiceFinder(config: Pick<Config, "data" | "token">): ServiceFinder {
  let found: { readonly url: string; readonly service: Asked } | null = null;
  return {
    async find() {
      const url = readServiceNote(config.data)?.url;
      if (url === undefined) return null;
      if (found?.url === url) return found.service;
      const service = connectTo(url, config);
      if (!(await answers(url, service))) return null;
      found = { url, service };
      return service;
    },
    forget() {
      found = null;
    },
  };
}

/** Whether celrec answers there, and answers us: without its token the index on the disk is the better way. */
async function answers(url: string, service: Asked): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) });
    if (ok) await service.labelSet();
    return ok;
  } catch {
    return false;
  }
}
