import type { LabelFilter } from "../vector-store.js";

/** A cell's labels as it is stored: a bit per label of the set, and the bit of the primary one (-1 for none). */
export interface LabelBits {
  readonly bits: number;
  readonly primary: number;
}

export interface LabelCodec {
  encode(labels: readonly string[], primary: string | null): LabelBits;
  decode(bits: LabelBits): { labels: string[]; primary: string | null };
  /** A test on stored bits; null lets everything through. */
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
