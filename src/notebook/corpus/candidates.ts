const IGNORED = new Set([".ipynb_checkpoints", "node_modules", "__pycache__"]);

/** Where Elyra keeps code snippets. */
const SNIPPET = /(^|\/)code-snippets\/[^/]+\.json$/;

export const ZIP = /\.zip$/i;
export const TAR = /\.(tar|tar\.gz|tgz)$/i;

/** Hidden files and folders, and what programs keep for themselves. */
export function isIgnored(name: string): boolean {
  return name.startsWith(".") || IGNORED.has(name);
}

/** Whether a file that nobody named may be a notebook. Of scripts only the content tells. Some systems write endings in capitals. */
export function isCandidate(path: string): boolean {
  if (/\.ipynb$/i.test(path) || SNIPPET.test(path)) return true;
  return /\.py$/i.test(path) && !/(^|\/)__init__\.py$/.test(path);
}

/** Whether a path inside an archive is one of a file that may be a notebook. */
export function isCandidateInside(path: string): boolean {
  return isCandidate(path) && !path.split("/").some(isIgnored);
}
