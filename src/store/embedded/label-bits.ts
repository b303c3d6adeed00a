import type { LabelFilter } from "../vector-store.js";

/** The stored labels of a cell: a bit per label of the set, and the bit of the primary label (-1 for none). */
interface LabelBits {
  readonly bits: number;
  readonly primary: number;
}

export interface LabelCodec {
  encode(labels: readonly string[], primary: string | null): LabelBits;
  decode(bits: LabelBits): { labels: string[]; primary: string | null };
  /** A test on stored bits; null passes every cell. */
  compile(filter: LabelFilter | undefined): ((bits: number, primary: number) => boolean) | null;
}

export function createLabelCodec(set: readonly string[]): LabelCodec {
  const bitsOf = (labels: readonly string[]) => labels.reduce((bits, label) => bits | (1 << set.indexOf(label)), 0);
  const known = (labels: readonly string[]) => labels.filter((label) => set.includes(label));
  return {
    encode: (labels, primary) => ({
      bits: bitsOf(known(labels)),
      primary: primary === null ? -1 : set.indexOf(primary),
    }),
    decode: ({ bits, primary }) => ({
      labels: set.filter((_, bit) => bits & (1 << bit)),
      primary: set[primary] ?? null,
    }),
    compile(filter) {
      if (filter === undefined) return null;
      const wanted = bitsOf(known(filter.any));
      const { unlabelled } = filter;
      if (filter.field === "labels") return (bits) => (bits & wanted) !== 0 || (unlabelled && bits === 0);
      return (bits, primary) => (primary >= 0 && (wanted & (1 << primary)) !== 0) || (unlabelled && bits === 0);
    },
  };
}

/** Counts cells by combination of labels. There are far fewer combinations than cells. */
export function createLabelTally() {
  const groups = new Map<number, { readonly bits: number; readonly primary: number; cells: number }>();
  return {
    change(bits: number, primary: number, by: number): void {
      const key = bits * 64 + primary + 1;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { bits, primary, cells: by });
      else group.cells += by;
    },
    /** Number of cells whose labels pass. */
    count(passes: (bits: number, primary: number) => boolean): number {
      let sum = 0;
      for (const { bits, primary, cells } of groups.values()) if (passes(bits, primary)) sum += cells;
      return sum;
    },
  };
}
