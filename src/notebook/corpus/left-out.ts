/** What a folder holds that is not looked into, though notebooks may be in it. */
export type LeftOutKind = "archives" | "links" | "pipes, sockets or devices";

/** The things of one kind that a pass over a corpus left out. */
export interface LeftOut {
  readonly kind: LeftOutKind;
  readonly count: number;
  /** The paths of the first ones in their source. */
  readonly first: readonly string[];
}

export type LeaveOut = (kind: LeftOutKind, path: string) => void;

const SHOWN = 5;

/** Counts what is left out. */
export function createLeftOut() {
  const kinds = new Map<LeftOutKind, { count: number; first: string[] }>();
  const leave: LeaveOut = (kind, path) => {
    const known = kinds.get(kind) ?? { count: 0, first: [] };
    known.count += 1;
    if (known.first.length < SHOWN) known.first.push(path);
    kinds.set(kind, known);
  };
  return {
    leave,
    list: (): LeftOut[] => [...kinds].map(([kind, { count, first }]) => ({ kind, count, first: [...first] })),
    clear: () => kinds.clear(),
  };
}
