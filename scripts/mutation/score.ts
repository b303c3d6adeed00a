/** The part of Stryker's report that is read here. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

export interface Score {
  /** Changes of the code that are judged: all but those made while a file is loaded. */
  readonly mutants: number;
  /** Reached by no test; known of every mutant, tried or not. */
  readonly unreached: number;
  readonly tried: number;
  readonly noticed: number;
  /** Share of all mutants that is noticed, with the 95 % interval of the sample. */
  readonly score: number;
  readonly low: number;
  readonly high: number;
}

export function scoreOf(report: MutationReport): Score {
  const statuses = Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const count = (...wanted: string[]) => statuses.filter((status) => wanted.includes(status)).length;
  const noticed = count("Killed", "Timeout");
  const tried = noticed + count("Survived");
  const unreached = count("NoCoverage");
  const mutants = tried + unreached + count("CompileError");
  const reached = mutants === 0 ? 0 : 1 - unreached / mutants;
  // Of a whole run there is nothing to guess.
  const [low, high] = mutants === tried + unreached ? [noticed / tried, noticed / tried] : wilson(noticed, tried);
  const scale = (share: number) => (tried === 0 ? 0 : share * reached);
  return { mutants, unreached, tried, noticed, score: scale(noticed / tried), low: scale(low), high: scale(high) };
}

/** Wilson's interval of a share. */
function wilson(hits: number, of: number, z = 1.96): [low: number, high: number] {
  const share = hits / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + (z / (2 * of)) ** 2);
  return [(middle - half) / (1 + z ** 2 / of), (middle + half) / (1 + z ** 2 / of)];
}
