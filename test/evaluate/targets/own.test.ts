import { describe, expect, it } from "vitest";
import type { TargetAnswer } from "../../../src/evaluate/target.js";
import { createOwnTarget } from "../../../src/evaluate/targets/own.js";
import { createRestTarget } from "../../../src/evaluate/targets/rest.js";
import { parseNotebook } from "../../../src/notebook/parse-notebook.js";
import { startService } from "../../http/service.js";

const CELLS = [
  "import pandas as pd\ndf = pd.read_csv('a.csv')\ndf.head()",
  "import pandas as pd\ntrain = pd.read_csv('b.csv')\ntrain.describe()",
  "model.fit(X_train, y_train)\nprint(model.score(X_test, y_test))",
];

describe("this recommender as a target", () => {
  it("answers like REST, with explicit settings and with defaults", async () => {
    const service = await startService();
    const { ask, ingest, store } = service.deps;
    const cells = CELLS.map((source) => ({ cell_type: "code", metadata: {}, outputs: [], source }));
    const parsed = parseNotebook(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
    if (!("notebook" in parsed)) throw new Error("the notebook of this test cannot be read");
    for (const request of [{}, { mode: "similar", collapse: false, diversity: 0, filter: "off" }] as const) {
      const own = createOwnTarget({ ask, ingest, store, request, settings: {} });
      await own.add([{ name: "n.ipynb", notebook: parsed.notebook }]);
      const rest = createRestTarget({ url: service.url, reset: false, request });
      for (const question of [
        { code: "df = pd.read_csv(", k: 3 },
        { code: "", k: 2, context: { before: ["model = Ridge()"], markdown: "# Fit" } },
      ]) {
        const withoutTimes = ({ hits }: TargetAnswer) => hits;
        const answer = withoutTimes(await own.recommend(question));
        expect(answer).toEqual(withoutTimes(await rest.recommend(question)));
        expect(answer.length).toBeGreaterThan(0);
      }
    }
  });

  it("counts a question that the service refuses as a fault", async () => {
    const { ask, ingest, store } = (await startService()).deps;
    const own = createOwnTarget({ ask, ingest, store, request: {}, settings: {} });
    await expect(own.recommend({ code: "x".repeat(300 * 1024), k: 3 })).rejects.toMatchObject({ kind: "errorsOther" });
  });
});
