import { createHash } from "node:crypto";

/** The used fields of a Stryker mutant. */
interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly location: object;
  readonly mutatorName: string;
  readonly replacement: string;
}

/**
 * A checker for Stryker that accepts a share of the mutants (CELREC_MUTATION_SHARE, CELREC_MUTATION_SEED). The choice
 * depends only on the mutant and the seed, so every run tries the same mutants.
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
  // Uses relative paths, because the sandbox has another path in every run.
  const file = fileName.slice(fileName.search(/(?:src|mutators)\/[^ ]*$/));
  const key = JSON.stringify([process.env.CELREC_MUTATION_SEED ?? "1", file, location, mutatorName, replacement]);
  return createHash("sha256").update(key).digest().readUInt32BE() < share * 2 ** 32;
}
