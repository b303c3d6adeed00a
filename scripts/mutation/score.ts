/** The used part of Stryker's report. */
interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

export interface Score {
  /** Changes of the code that could be tried: all except those in code that runs when a file is loaded. */
  readonly mutants: number;
  readonly tried: number;
  /** Number of these changes that no test reaches. */
  readonly unreached: number;
  /** Share of the tried changes that a test detected, with its 95 % interval. */
  readonly score: number;
  readonly low: number;
  readonly high: number;
}

export function scoreOf(report: MutationReport): Score {
  const statuses = Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const count = (...wanted: string[]) => statuses.filter((status) => wanted.includes(status)).length;
  const noticed = count("Killed", "Timeout");
  const unreached = count("NoCoverage");
  const tried = noticed + unreached + count("Survived");
  const mutants = tried + count("CompileError");
  const score = tried === 0 ? 0 : noticed / tried;
  // A full run needs no interval.
  const [low, high] = tried === 0 || tried === mutants ? [score, score] : wilson(noticed, tried);
  return { mutants, tried, unreached, score, low, high };
}

/** Wilson's interval of a share. */
function wilson(hits: number, of: number, z = 1.96): [low: number, high: number] {
  const share = hits / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + (z / (2 * of)) ** 2);
  return [(middle - half) / (1 + z ** 2 / of), (middle + half) / (1 + z ** 2 / of)];
}
