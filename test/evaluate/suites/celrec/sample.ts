import type { JudgedHit, QueryOutcome } from "../../../../src/evaluate/suites/celrec/celrec-result.js";
import type { SeedTruth } from "../../../../src/evaluate/suites/celrec/judge.js";

/** Two seeds, small enough to work everything out by hand. b has no second mutant: its operator changed nothing. */
export const SEEDS: readonly SeedTruth[] = [
  {
    seed: "a.py",
    hash: "a".repeat(64),
    lines: 2,
    mutants: [
      { mutant: 1, operator: "rename-variables", rating: 5, id: "a1" },
      { mutant: 2, operator: "insert-comments", rating: 4, id: "a2" },
      { mutant: 3, operator: "reverse-lines", rating: 3, id: "a3" },
    ],
  },
  {
    seed: "b.py",
    hash: "b".repeat(64),
    lines: 3,
    mutants: [
      { mutant: 1, operator: "rename-variables", rating: 5, id: "b1" },
      { mutant: 3, operator: "reverse-lines", rating: 3, id: "b2" },
    ],
    hardNegatives: [{ operator: "other-column", id: "z" }],
  },
];

const unrelated = (id: string, score: number): JudgedHit => ({ id, seed: null, mutant: null, rating: 1, score });
const hit = (id: string, score: number, confidence: number | null = null): JudgedHit => {
  const { seed, mutants } = SEEDS.find((one) => one.mutants.some((mutant) => mutant.id === id))!;
  const { mutant, rating } = mutants.find((one) => one.id === id)!;
  return { id, seed, mutant, rating, score, confidence };
};

export const OUTCOMES: readonly QueryOutcome[] = [
  {
    id: "a.py:1",
    seed: "a.py",
    lines: 1,
    label: "ingest_data",
    group: "import pandas as pd",
    results: [hit("a3", 0.9, 0.5), unrelated("x", 0.8), unrelated("y", 0.8)],
    cosines: [0.5, 0.5, 0.5],
    took: { embed: 1, total: 1 },
  },
  {
    id: "a.py:2",
    seed: "a.py",
    lines: 2,
    label: "ingest_data",
    group: "import pandas as pd\ndf = pd.read_csv(path)",
    results: [hit("a1", 0.9), hit("a2", 0.8), hit("a3", 0.7)],
    cosines: [0.9, 0.9, 0.9],
    took: { embed: 1, total: 2 },
  },
  {
    id: "b.py:1",
    seed: "b.py",
    lines: 1,
    label: "train_model",
    group: "import pandas as pd",
    results: [unrelated("x", 0.9), hit("b1", 0.8), unrelated("y", 0.7)],
    cosines: [0.5, 0.5, 0.5],
    took: { embed: 1, total: 3 },
  },
  {
    id: "b.py:2",
    seed: "b.py",
    lines: 2,
    label: "train_model",
    group: "import pandas as pd\nm = Ridge()",
    results: [],
    took: { embed: 1, total: 4 },
  },
  {
    id: "b.py:3",
    seed: "b.py",
    lines: 3,
    label: null,
    group: "import pandas as pd\nm = Ridge()\nm.fit(X, y)",
    results: [hit("b1", 0.9), hit("b2", 0.8), unrelated("z", 0.7)],
    cosines: [0.9, 0.1, 0.1],
    took: { embed: 1, total: 5 },
  },
];
