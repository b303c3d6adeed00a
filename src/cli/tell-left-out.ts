import type { LeftOut, LeftOutKind } from "../notebook/corpus/candidates.js";
import { asOneLine } from "./output.js";

const ADVICE: Readonly<Record<LeftOutKind, string>> = {
  archives: "; index one by its own path",
  links: "; links are not followed, so name where they lead",
  "pipes, sockets or devices": "",
};

/** What the folders hold that was not looked into, and how to get at it. */
export function tellLeftOut(leftOut: readonly LeftOut[]): string {
  const parts = leftOut.map(({ kind, count, first }) => {
    const more = count > first.length ? ", ..." : "";
    return `${count} ${kind} (${first.join(", ")}${more})${ADVICE[kind]}`;
  });
  return asOneLine(`Not looked into: ${parts.join(". ")}.`);
}
