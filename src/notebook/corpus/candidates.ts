const IGNORED = new Set([".ipynb_checkpoints", "node_modules", "__pycache__"]);

/** Hidden files and folders, and what programs keep for themselves. */
export function isIgnored(name: string): boolean {
  return name.startsWith(".") || IGNORED.has(name);
}

/** Whether a file that nobody named may be a notebook. Of scripts only the content tells. */
export function isCandidate(path: string): boolean {
  if (path.endsWith(".ipynb")) return true;
  return path.endsWith(".py") && !/(^|\/)__init__\.py$/.test(path);
}
