import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestHandler } from "express";
import { assetPath } from "../config.js";

/** The playground. Its editor makes a style sheet of its own, which the policy lets through by a number used once. */
export function createPage({ feedback }: { readonly feedback: boolean }): RequestHandler {
  const page = readFileSync(assetPath("web/index.html"), "utf8");
  return (_request, response) => {
    const nonce = randomBytes(16).toString("base64");
    const policy = String(response.getHeader("content-security-policy"));
    response.setHeader(
      "content-security-policy",
      policy.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`),
    );
    const root = `<html lang="en" data-nonce="${nonce}" data-feedback="${feedback ? "on" : "off"}">`;
    response.type("html").send(page.replace('<html lang="en">', root));
  };
}
