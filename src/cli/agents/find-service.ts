import { createClient } from "../../ask/client.js";
import type { Config } from "../../config.js";
import type { Backend } from "../../mcp/backend.js";
import { createServiceBackend } from "../../mcp/service-backend.js";
import { readServiceNote } from "../service-note.js";

export type Asked = Omit<Backend, "indexPaths">;

export interface ServiceFinder {
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
