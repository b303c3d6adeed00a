import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { cellId, extractCells } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-text.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { groupBy } from "../../statistics/bootstrap.js";
import { SEED_RULES } from "./draw-seeds.js";
import { relevantCells } from "./judge.js";
import { type Distractors, describeDistractors, type Plan, type PlannedSeed, toTruth } from "./plan.js";
import { type Protocol, protocolSchema, scaleOf } from "./protocol.js";
import { trecName } from "./trec.js";

/** The input of a run: seeds with queries and mutants, and the distractors. */
interface CelrecDataSet {
  readonly protocol: Protocol;
  readonly plan: Plan;
  readonly distractors: Distractors;
}

const FORMAT = "celrec-dataset";
const VERSION = 1;

const count = z.int().nonnegative();
const headSchema = z.object({
  format: z.literal(FORMAT, `is not a ${FORMAT}`),
  version: z.literal(VERSION, `has an unsupported version; this celrec reads version ${VERSION}`),
  protocol: protocolSchema,
  counts: z.object({ seeds: count, queries: count, mutants: count, distractors: count }),
});
const seedSchema = z.object({ id: z.string().min(1), source: z.string(), label: z.string().nullable() });
const querySchema = z.object({
  id: z.string().min(1),
  seed: z.string(),
  lines: z.int().positive(),
  code: z.string(),
});
const mutantSchema = z.object({
  id: z.string(),
  seed: z.string(),
  /** The number of the mutant; null for a hard negative. */
  mutant: z.int().positive().nullable(),
  operators: z.array(z.string()).min(1),
  rating: z.int().nonnegative(),
  code: z.string(),
});
const distractorSchema = z.object({
  id: z.string(),
  notebook: z.string(),
  cellIndex: z.int().nonnegative(),
  code: z.string(),
});

type Counts = Readonly<Record<"seeds" | "queries" | "mutants" | "distractors", number>>;

/** The place of each seed in its notebook; not part of the plan. */
interface SeedOrigin {
  readonly notebook: string;
  readonly cellIndex: number;
}

/** Writes a data set into an empty folder and returns its counts. */
export function writeDataSet(
  folder: string,
  { protocol, plan, distractors }: CelrecDataSet,
  origins: ReadonlyMap<string, SeedOrigin> = new Map(),
): Counts {
  const operatorsOf = (mutant: number | null, operator: string) =>
    mutant === null ? [operator] : protocol.mutants[mutant - 1]!.operators;
  const mutants = plan.seeds.flatMap(({ truth, codes }) => [
    ...truth.mutants.map(({ id, mutant, operator, rating }) => ({
      ...{ id, seed: truth.seed, mutant, operators: operatorsOf(mutant, operator), rating, code: codes.get(id)! },
    })),
    ...(truth.hardNegatives ?? []).map(({ id, operator }) => ({
      ...{ id, seed: truth.seed, mutant: null, operators: operatorsOf(null, operator) },
      ...{ rating: protocol.unrelated, code: codes.get(id)! },
    })),
  ]);
  const queries = plan.seeds.flatMap((seed) => seed.queries);
  const cells = distractors.notebooks.flatMap(({ name, notebook }) =>
    extractCells(notebook).map(({ id, cellIndex, code }) => ({ id, notebook: name, cellIndex, code })),
  );
  const scale = scaleOf(protocol);
  const qrels = plan.seeds.flatMap(({ truth, queries: own }) =>
    own.flatMap(({ id }) =>
      relevantCells(truth.mutants, scale).map((cell) => `${trecName(id)} 0 ${cell.id} ${cell.rating}\n`),
    ),
  );
  const counts = {
    ...{ seeds: plan.seeds.length, queries: queries.length, mutants: mutants.length },
    distractors: distractors.cells,
  };
  const head = {
    ...{ format: FORMAT, version: VERSION, protocol, counts },
    ...(origins.size > 0 && { seedRules: SEED_RULES }),
  };
  const files: Readonly<Record<string, string>> = {
    "dataset.json": `${JSON.stringify(head, null, 2)}\n`,
    "seeds.jsonl": toLines(
      plan.seeds.map(({ seed: { id, source }, label }) => ({ id, ...origins.get(id), label, source })),
    ),
    "queries.jsonl": toLines(queries),
    "mutants.jsonl": toLines(mutants),
    "distractors.jsonl": toLines(cells),
    "qrels.txt": qrels.join(""),
    "README.md": README,
  };
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { flag: "wx" });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it already contains a data set; give a new folder" : message;
    throw invalid(`The data set cannot be written to ${folder}: ${why}.`, cause);
  }
  return counts;
}

const toLines = (items: readonly object[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join("");

const README = `# A CelRecEval data set

Made by \`celrec eval build celrec\`. To score a recommender without celrec:

1. Index the cells of mutants.jsonl and distractors.jsonl (\`code\`), and nothing else.
2. Ask for the k cells most similar to each \`code\` of queries.jsonl; k is in dataset.json.
3. Write a TREC run (\`query Q0 cell rank score tag\`) with the ids, and score it against qrels.txt,
   for example with ranx or ir_measures. Every query counts, also one without an answer.

With celrec: \`celrec eval celrec --dataset FOLDER --target TARGET\`.

| file | a line |
|---|---|
| dataset.json | format, version, the protocol (k, threshold z, ratings, operators of each mutant), counts, seed rules |
| seeds.jsonl | \`{id, notebook, cellIndex, label, source}\`: the original cells. They are not indexed |
| queries.jsonl | \`{id, seed, lines, code}\`: the first 1, 2, ... n lines of a seed, without blank lines |
| mutants.jsonl | \`{id, seed, mutant, operators, rating, code}\`; \`mutant\` is null for a hard negative |
| distractors.jsonl | \`{id, notebook, cellIndex, code}\`: real cells that are no answer |
| qrels.txt | \`query 0 cell rating\`, relevant cells only; white space and \`%\` in names are percent-encoded |

The id of a cell is the hex sha-256 of its code in UTF-8, without line breaks at the end. A cell that
is a mutant of another seed than the query's is as unrelated as a distractor.
`;

/** Reads a data set; INPUT_INVALID names the wrong file and the reason. */
export function readDataSet(folder: string): CelrecDataSet {
  const { protocol, counts } = readHead(folder);
  const lines = <S extends z.ZodType>(name: string, schema: S) =>
    readJsonLines(join(folder, name), "a data set", schema).map(({ value }) => value);
  const seeds = lines("seeds.jsonl", seedSchema);
  const queries = groupBy(lines("queries.jsonl", querySchema), ({ seed }) => seed);
  const mutants = groupBy(lines("mutants.jsonl", mutantSchema), ({ seed }) => seed);
  const distractors = existsSync(join(folder, "distractors.jsonl")) ? lines("distractors.jsonl", distractorSchema) : [];
  const ids = new Set(seeds.map(({ id }) => id));
  const strangers = [...queries.keys(), ...mutants.keys()].filter((seed) => !ids.has(seed));
  if (strangers.length > 0) throw invalid(`${folder}: seeds.jsonl has no seed ${strangers[0]}.`);
  for (const { id, code, file } of [
    ...[...mutants.values()].flat().map((each) => ({ ...each, file: "mutants.jsonl" })),
    ...distractors.map((each) => ({ ...each, file: "distractors.jsonl" })),
  ])
    if (cellId(code) !== id) throw invalid(`${join(folder, file)}: the code of ${id} has the id ${cellId(code)}.`);
  const planned = seeds.map(({ id, source, label }): PlannedSeed => {
    const seedQueries = queries.get(id) ?? [];
    const seedMutants = (mutants.get(id) ?? []).map((each) => ({ ...each, operator: each.operators.at(-1)! }));
    return {
      seed: { id, source },
      label,
      truth: toTruth({ id, source }, seedMutants, seedQueries.length),
      codes: new Map(seedMutants.map((each) => [each.id, each.code])),
      queries: seedQueries,
      unchanged: [],
      failed: [],
    };
  });
  const found = { seeds: seeds.length, queries: sizeOf(queries), mutants: sizeOf(mutants) };
  for (const name of ["seeds", "queries", "mutants"] as const)
    if (found[name] !== counts[name])
      throw invalid(`${folder}: ${name}.jsonl has ${found[name]} lines, dataset.json says ${counts[name]}.`);
  return {
    protocol,
    plan: { seeds: planned },
    distractors: describeDistractors(toNotebooks(distractors), 0),
  };
}

/** The protocol and the counts of a data set. */
export function readHead(folder: string): z.infer<typeof headSchema> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(folder, "dataset.json"), "utf8"));
  } catch (cause) {
    throw invalid(
      `${folder} is not a data set: dataset.json cannot be read (${(cause as Error).message}). Make one with: celrec eval build celrec`,
      cause,
    );
  }
  const parsed = headSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`);
  throw invalid(`${join(folder, "dataset.json")} is wrong: ${wrong.join("; ")}`, parsed.error);
}

const sizeOf = (groups: ReadonlyMap<string, readonly unknown[]>): number =>
  [...groups.values()].reduce((sum, { length }) => sum + length, 0);

function toNotebooks(cells: readonly z.infer<typeof distractorSchema>[]): NamedNotebook[] {
  return [...groupBy(cells, ({ notebook }) => notebook)].map(([name, own]) => ({
    name,
    notebook: { cells: own.map(({ cellIndex, code }) => ({ index: cellIndex, type: "code" as const, source: code })) },
  }));
}

const invalid = (message: string, cause?: unknown): RecommenderError =>
  new RecommenderError("INPUT_INVALID", message, { cause });
