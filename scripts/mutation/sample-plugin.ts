import { createHash } from "node:crypto";

/** The fields of a Stryker mutant that are used here. */
interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly location: object;
  readonly mutatorName: string;
  readonly replacement: string;
}

/**
 * A checker for Stryker that lets a share of the mutants pass (CELREC_MUTATION_SHARE, CELREC_MUTATION_SEED). Whether one
 * is tried depends on itself and the seed alone, so a second run, or one of a single file, tries the same ones.
 */
export const strykerPlugins = [
  {
    kind: "Checker",
    name: "sample",
    value: {
      init: async () => {},
      group: async (mutants: readonly Mutant[]) => [mutants.map(({ id }) => id)],
      check: async (mutants: readonly Mutant[]) => Object.fromEntries(mutants.map((each) => [each.id, check(each)])),
    },
  },
];

const check = (mutant: Mutant) =>
  isTried(mutant) ? { status: "passed" } : { status: "compileError", reason: "not in the sample" };

function isTried({ fileName, location, mutatorName, replacement }: Mutant): boolean {
  const share = Number(process.env.CELREC_MUTATION_SHARE ?? 1);
  // The sandbox has another path in every run.
  const file = fileName.slice(fileName.search(/(?:src|mutators)\/[^ ]*$/));
  const key = JSON.stringify([process.env.CELREC_MUTATION_SEED ?? "1", file, location, mutatorName, replacement]);
  return createHash("sha256").update(key).digest().readUInt32BE() < share * 2 ** 32;
}
