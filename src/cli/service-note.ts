import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createClient } from "../ask/client.js";
import { type Config, isLoopback } from "../config.js";
import { type Backend, createServiceBackend } from "../mcp/backend.js";
import { makeFolders } from "../notebook/file-system.js";

/** A file that tells other programs of the same user which service has this index open. */
const serviceNoteSchema = z.object({ pid: z.int().min(1), url: z.url({ protocol: /^http$/ }).refine(isLoopbackUrl) });
type ServiceNote = z.output<typeof serviceNoteSchema>;

const NOTE_FILE = "service.json";

/**
 * Only loopback addresses are accepted: a note that somebody else wrote must not redirect requests and tokens to
 * another machine.
 */
function isLoopbackUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname);
}

/**
 * Writes a note into the folder of the index, and returns a function that removes it. Writes none if the service does
 * not listen on this machine's loopback address, or if the disk is full.
 */
export function writeServiceNote(folder: string, { pid, url }: ServiceNote): () => void {
  if (!isLoopbackUrl(url)) return () => {};
  const file = join(folder, NOTE_FILE);
  try {
    makeFolders(folder);
    writeFileSync(file, JSON.stringify({ pid, url }), { mode: 0o600 });
  } catch {
    return () => {};
  }
  return () => {
    // Another service may have replaced the note.
    if (parseNote(file)?.pid === pid) rmSync(file, { force: true });
  };
}

/** The service of the index; null if there is none, or if its process has ended. */
export function readServiceNote(folder: string): ServiceNote | null {
  const found = parseNote(join(folder, NOTE_FILE));
  return found !== null && isAlive(found.pid) ? found : null;
}

function parseNote(file: string): ServiceNote | null {
  try {
    return serviceNoteSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export type ServiceConnection = Omit<Backend, "indexPaths">;

interface ServiceFinder {
  /** The service of the index, if it answers and accepts our token. */
  find(): Promise<ServiceConnection | null>;
  /** Call this if the service did not answer; `find` then searches again. */
  forget(): void;
}

/** A service that does not answer the health check within this time is not used. */
const PROBE_MS = 2_000;

export function connectTo(url: string, { token }: Pick<Config, "token">): ServiceConnection {
  return createServiceBackend({ url, client: createClient({ url, ...(token !== undefined && { token }) }) });
}

/** Finds the service of an index by its note. */
export function createServiceFinder(config: Pick<Config, "data" | "token">): ServiceFinder {
  let found: { readonly url: string; readonly service: ServiceConnection } | null = null;
  return {
    async find() {
      const url = readServiceNote(config.data)?.url;
      if (url === undefined) return null;
      if (found?.url === url) return found.service;
      const service = connectTo(url, config);
      if (!(await doesAnswer(url, service))) return null;
      found = { url, service };
      return service;
    },
    forget() {
      found = null;
    },
  };
}

/** Whether a service answers and accepts our token; otherwise the index on disk is used. */
async function doesAnswer(url: string, service: ServiceConnection): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) });
    if (ok) await service.labelSet();
    return ok;
  } catch {
    return false;
  }
}
