/** Rows of one page. */
const PAGE = 4_096;

/** Maps rows to numbers without an object per row. Row numbers only grow, so pages without a row left are freed. */
export function createRowSlots() {
  /** Slot + 1, or 0 for none. */
  const pages: ({ readonly slots: Int32Array; size: number } | undefined)[] = [];

  return {
    /** The slot of a row; -1 if it has none. */
    get: (row: number): number => (pages[Math.floor(row / PAGE)]?.slots[row % PAGE] ?? 0) - 1,
    set(row: number, slot: number): void {
      const index = Math.floor(row / PAGE);
      pages[index] ??= { slots: new Int32Array(PAGE), size: 0 };
      const page = pages[index];
      if (page.slots[row % PAGE] === 0) page.size += 1;
      page.slots[row % PAGE] = slot + 1;
    },
    delete(row: number): void {
      const index = Math.floor(row / PAGE);
      const page = pages[index];
      if (page === undefined || page.slots[row % PAGE] === 0) return;
      page.slots[row % PAGE] = 0;
      page.size -= 1;
      if (page.size === 0) pages[index] = undefined;
    },
    clear(): void {
      pages.length = 0;
    },
  };
}
