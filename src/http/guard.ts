import { hostname, networkInterfaces } from "node:os";
import type { Request, RequestHandler } from "express";
import { type Config, isLoopback } from "../config.js";
import { RecommenderError } from "../errors.js";

type GuardConfig = Pick<Config, "host" | "hosts" | "origins">;

const PREFLIGHT_SECONDS = "600";
/** Characters of a refused name that are said; no host has more. */
const MOST_QUOTED = 253;

/**
 * Refuses requests that a web page of somebody else makes, before their body is read. A page may send a form or a DELETE to
 * any address that the browser reaches, so that it could plant code in an index on the same machine; its Origin gives it
 * away, and where it made its own name point here, its Host does.
 */
export function createGuard({ host, hosts, origins }: GuardConfig): RequestHandler {
  const names = new Set([...hosts, host.toLowerCase(), ...(isLoopback(host) ? [] : ownNames())]);
  return (request, response, next) => {
    const { name, full } = hostOf(request);
    if (!isLoopback(name) && !names.has(name)) {
      throw new RecommenderError(
        "FORBIDDEN",
        `The Host ${quote(name)} is not a name of this service; whoever runs it can add names with CELREC_HOSTS.`,
      );
    }
    const { origin } = request.headers;
    response.vary("origin");
    if (origin === undefined || sameOrigin(origin, full)) return next();
    if (!origins.includes(origin.toLowerCase())) {
      throw new RecommenderError(
        "FORBIDDEN",
        `The Origin ${quote(origin)} may not call this service; whoever runs it can add origins with CELREC_ORIGINS.`,
      );
    }
    response.set({
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "x-request-id, retry-after, location",
    });
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return next();
    response.set({
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": "authorization, content-type, x-request-id, mcp-protocol-version",
      "access-control-max-age": PREFLIGHT_SECONDS,
    });
    response.status(204).end();
  };
}

function quote(name: string): string {
  return JSON.stringify(name.length > MOST_QUOTED ? `${name.slice(0, MOST_QUOTED)}…` : name);
}

/** The name without its port, and both. */
function hostOf({ headers: { host = "" } }: Request): { name: string; full: string } {
  const full = host.toLowerCase();
  return { full, name: full.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1") };
}

/** Whether the page came from here; a proxy in front may have changed the scheme. */
function sameOrigin(origin: string, host: string): boolean {
  return host !== "" && [`http://${host}`, `https://${host}`].includes(origin.toLowerCase());
}

/** What this machine calls itself. */
function ownNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(
    (entries) => entries?.map(({ address }) => address) ?? [],
  );
  return [hostname(), ...addresses].map((name) => name.toLowerCase());
}
