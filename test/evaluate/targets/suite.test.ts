import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { paperMutators } from "../../../mutators/index.js";
import { createLexicalEmbedder } from "../../../src/embed/lexical.js";
import { allMetrics, RANKING_METRICS } from "../../../src/evaluate/metrics/index.js";
import { openJournal } from "../../../src/evaluate/runner/answer-journal.js";
import type { CelrecResult } from "../../../src/evaluate/suites/celrec/celrec-result.js";
import { type CelrecAnswer, runCelrec } from "../../../src/evaluate/suites/celrec/celrec-run.js";
import { makePlan } from "../../../src/evaluate/suites/celrec/plan.js";
import { PAPER_PROTOCOL, resolveProtocol } from "../../../src/evaluate/suites/celrec/protocol.js";
import type { Seed } from "../../../src/evaluate/suites/celrec/seeds.js";
import type { Target } from "../../../src/evaluate/target.js";
import { createBaseline } from "../../../src/evaluate/targets/baseline.js";
import { createTarget } from "../../../src/evaluate/targets/index.js";
import { createLabeller } from "../../../src/label/create-labeller.js";
import { makeFolder, startService } from "../../http/service.js";
import { requires } from "../../require.js";
import { failureOf, send, startServer } from "./servers.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const file = fileURLToPath(new URL("../../../examples/targets/bm25/target.yaml", import.meta.url));
const deps = { own: () => createBaseline("random"), reset: false, env: process.env, request: { collapse: false } };

const seeds: Seed[] = [
  { id: "read", source: "import pandas as pd\ntrain = pd.read_csv('train.csv')\ntrain.head()" },
  { id: "split", source: "from sklearn.model_selection import train_test_split\nparts = train_test_split(X, y)" },
  { id: "plot", source: "plt.figure(figsize=(8, 4))\nplt.hist(ages, bins=20)\nplt.show()" },
  { id: "fit", source: "model = RandomForestClassifier(n_estimators=100)\nmodel.fit(X_train, y_train)" },
  { id: "score", source: "predicted = forest.predict(X_test)\nprint(accuracy_score(y_test, predicted))" },
];

/** The suite on five seeds, as the command runs it. */
async function evaluate(target: Target): Promise<CelrecResult> {
  const k = 3;
  const recipe = await resolveProtocol(PAPER_PROTOCOL, paperMutators);
  const result = await runCelrec({
    protocol: PAPER_PROTOCOL,
    plan: makePlan(seeds, recipe, createLabeller()),
    distractors: { notebooks: [], cells: 0, dropped: 0, hash: "" },
    seedProblems: [],
    target,
    embedder: createLexicalEmbedder(),
    k,
    metrics: allMetrics(RANKING_METRICS, k),
    jobs: 4,
    journal: openJournal<CelrecAnswer>(makeFolder(), "test"),
    config: {},
    manifest: { versions: {}, settings: {}, inputs: {} },
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  await target.close();
  return result!;
}

const noProblems = { timeouts: 0, errors5xx: 0, errorsOther: 0, short: 0, duplicates: 0, junk: 0 };

describe.skipIf(!requires("python", hasPython, "install Python 3.8 or newer as python3"))("the BM25 example", () => {
  it("is started, filled, asked, scored and stopped", async () => {
    const { counts, mps1, problems, latency } = await evaluate(await createTarget(file, deps));
    expect(counts).toEqual({ seeds: 5, queries: 12, recommendationCells: 15, distractors: 0 });
    expect(problems.target).toEqual(noProblems);
    // These seeds differ mainly in their words. So a few lists lack a mutant, and every list has at least one.
    expect(mps1["precision@3"]).toBeGreaterThan(0.8);
    expect(mps1["hit-rate@3"]).toBe(1);
    expect(latency.total!.mean).toBeGreaterThan(0);
  });

  it("ranks far above chance", async () => {
    const example = await evaluate(await createTarget(file, deps));
    const chance = await evaluate(createBaseline("random"));
    expect(example.mps1["ndcg-ideal@3"]!).toBeGreaterThan(2 * chance.mps1["ndcg-ideal@3"]!);
  });

  it("gives the same figures twice", async () => {
    const [first, second] = [
      await evaluate(await createTarget(file, deps)),
      await evaluate(await createTarget(file, deps)),
    ];
    expect(second.mps1).toEqual(first.mps1);
    expect(second.queries).toEqual(first.queries);
  });
});

describe("the suite on external targets", () => {
  it("gives a server over REST the figures of the same engine", async () => {
    const service = await startService();
    const { mps1, problems } = await evaluate(
      await createTarget(service.url, { ...deps, request: { mode: "similar", filter: "off", collapse: false } }),
    );
    expect(problems.target).toEqual(noProblems);
    expect(mps1["hit-rate@3"]).toBe(1);
    const { message } = await failureOf(async () => evaluate(await createTarget(service.url, deps)));
    expect(message).toContain("it has 15 cells");
  });

  it("counts failures and scores them as empty answers", async () => {
    const bodies = [
      [500, "no"],
      [400, "no"],
      [200, "{]"],
      [200, { recommendations: [] }],
      [200, { recommendations: [{ code: "a" }, { code: "a" }, { text: "b" }] }],
    ] as const;
    let asked = 0;
    const { url } = await startServer(({ method, path }, response) => {
      if (method === "GET") return send(response, 200, { cells: 0 });
      if (path === "/v1/notebooks") return send(response, 201, { rejected: [] });
      const [status, body] = bodies[asked++] ?? [
        200,
        { recommendations: [1, 2, 3].map((n) => ({ code: `other ${n}` })) },
      ];
      send(response, status, body);
    });
    const { problems, mps1, counts } = await evaluate(await createTarget(url, deps));
    expect(counts.queries).toBe(12);
    expect(problems.target).toEqual({ timeouts: 0, errors5xx: 1, errorsOther: 1, short: 2, duplicates: 1, junk: 2 });
    expect(mps1["precision@3"]).toBe(0);
  });
});
