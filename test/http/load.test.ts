import { describe, expect, it, onTestFinished } from "vitest";
import { stopUnderLoad } from "../../scripts/load/faults.js";
import { fire } from "../../scripts/load/fire.js";
import { serve } from "../../scripts/load/server.js";
import { wrong } from "../../scripts/load/steady.js";
import { celrec, SAMPLES } from "../cli/celrec.js";
import { takesLong } from "../require.js";
import { ipynb, type Loose, makeFolder } from "./service.js";

const QUERIES = ["import pandas as pd", "df = pd.read_csv(", "model.fit(", "plt.plot(x, y)", "df.groupby("];

/** `scripts/load.ts` does the same for longer, over more cells, and with figures. */
describe.skipIf(!takesLong())("the service under load", () => {
  it("answers or refuses every request during an upload, and stops in the middle of it", async () => {
    const data = makeFolder();
    expect((await celrec(["index", SAMPLES, "--data", data])).code).toBe(0);
    const served = await serve(data, { CELREC_WORKERS: "2", CELREC_EMBEDDER: "lexical" });
    onTestFinished(() => void served.process.kill("SIGKILL"));
    const cells = Array.from({ length: 400 }, (_, at) => `result${at} = compute(${at})`);
    const [shots, uploaded] = await Promise.all([
      fire({ url: served.url, connections: 50, requests: 400, queries: QUERIES }),
      fetch(`${served.url}/v1/notebooks?name=large`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(ipynb(cells)),
      }),
    ]);
    expect([wrong(shots), shots.times(200).length + shots.times(503).length]).toEqual([0, 400]);
    expect([uploaded.status, ((await uploaded.json()) as Loose).notebooks[0].new]).toEqual([201, 400]);
    expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
    const stopped = await stopUnderLoad({ served, queries: QUERIES, seconds: 1 });
    const figure = (name: string) => stopped.find((row) => row.name === name)?.value;
    expect([figure("lost"), figure("exit code")]).toEqual([0, 0]);
  });
});
