/** Cells by their labels: there are far fewer combinations of labels than cells. */
export function createLabelTally() {
  const groups = new Map<number, { readonly bits: number; readonly primary: number; cells: number }>();
  return {
    change(bits: number, primary: number, by: number): void {
      const key = bits * 64 + primary + 1;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { bits, primary, cells: by });
      else group.cells += by;
    },
    /** How many cells have labels that pass. */
    count(passes: (bits: number, primary: number) => boolean): number {
      let sum = 0;
      for (const { bits, primary, cells } of groups.values()) if (passes(bits, primary)) sum += cells;
      return sum;
    },
  };
}
