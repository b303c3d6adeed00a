import { readFileSync } from "node:fs";
import type { RequestHandler } from "express";
import { assetPath } from "../assets.js";
import type { Route } from "./route.js";

/** The page at `/`, with what can be called. */
export function createPage(routes: readonly Route[]): RequestHandler {
  const rows = routes.map(
    ({ method, path, summary }) =>
      `<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${escapeHtml(summary)}</td></tr>`,
  );
  const page = readFileSync(assetPath("web/index.html"), "utf8").replace("<!-- routes -->", () => rows.join("\n"));
  return (_request, response) => void response.type("html").send(page);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
