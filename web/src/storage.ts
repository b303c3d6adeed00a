const KEY = "celrec-notebook";

/** The notebook on the page. */
interface SavedNotebook {
  readonly markdown: string;
  readonly cells: readonly string[];
}

/**
 * Saves the notebook, so that it survives a reload. Each tab has its own notebook; a new tab starts with the last saved
 * one. Nothing is saved if the browser forbids storage.
 */
export function saveNotebook(notebook: SavedNotebook): void {
  const text = JSON.stringify(notebook);
  for (const storage of [() => sessionStorage, () => localStorage]) {
    try {
      storage().setItem(KEY, text);
    } catch {
      // The storage is full or forbidden.
    }
  }
}

export function loadNotebook(): SavedNotebook | null {
  try {
    const text = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
    const saved = JSON.parse(text ?? "null") as Partial<SavedNotebook> | null;
    const isNotebook = Array.isArray(saved?.cells) && saved.cells.every((cell) => typeof cell === "string");
    return isNotebook ? { markdown: String(saved?.markdown ?? ""), cells: saved?.cells ?? [] } : null;
  } catch {
    return null;
  }
}
