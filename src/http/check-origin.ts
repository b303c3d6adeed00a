import { hostname, networkInterfaces } from "node:os";
import type { Request, RequestHandler } from "express";
import { type Config, isLoopback } from "../config.js";
import { RecommenderError } from "../errors.js";

type OriginConfig = Pick<Config, "host" | "hosts" | "origins">;

const PREFLIGHT_SECONDS = "600";
/** Maximum length of a name in messages: that of a host name. */
const MAX_QUOTED = 253;

/**
 * Rejects requests from foreign web pages before their body is read. Any page can send forms to addresses that the
 * browser reaches, and could so insert code into a local index. The Origin header reveals such a page; with DNS
 * rebinding, the Host header does.
 */
export function createOriginCheck({ host, hosts, origins }: OriginConfig): RequestHandler {
  const names = new Set([...hosts, host.toLowerCase(), ...(isLoopback(host) ? [] : ownNames())]);
  return (request, response, next) => {
    const { name, full } = hostOf(request);
    if (!isLoopback(name) && !names.has(name)) {
      throw new RecommenderError(
        "FORBIDDEN",
        `The Host ${quote(name)} is not a name of this service; the operator can add names with CELREC_HOSTS.`,
      );
    }
    const { origin } = request.headers;
    response.vary("origin");
    if (origin === undefined || sameOrigin(origin, full)) return next();
    if (!origins.includes(origin.toLowerCase())) {
      throw new RecommenderError(
        "FORBIDDEN",
        `The Origin ${quote(origin)} may not call this service; the operator can add origins with CELREC_ORIGINS.`,
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
  return JSON.stringify(name.length > MAX_QUOTED ? `${name.slice(0, MAX_QUOTED)}…` : name);
}

/** The host name without and with its port. */
function hostOf({ headers: { host = "" } }: Request): { name: string; full: string } {
  const full = host.toLowerCase();
  return { full, name: full.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1") };
}

/** Whether the page came from this service. The scheme is ignored, because a proxy may change it. */
function sameOrigin(origin: string, host: string): boolean {
  return host !== "" && [`http://${host}`, `https://${host}`].includes(origin.toLowerCase());
}

/** The host name and addresses of this machine. */
function ownNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(
    (entries) => entries?.map(({ address }) => address) ?? [],
  );
  return [hostname(), ...addresses].map((name) => name.toLowerCase());
}
