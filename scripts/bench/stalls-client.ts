// The thread that sends the requests of `stalls.ts`: one for each message that it receives.
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { makeCorpus } from "./corpus.js";

const KB = 1024;
const MB = 1024 * KB;
const ORDINARY = 5_000;

/** A request is ready, or was answered. */
export type Sent = { readonly name: string } | { readonly name: string; readonly status: number; readonly ms: number };

interface Asked {
  readonly path: string;
  readonly body: string | object;
}

/** Requests at and beyond the limits of the API, with text that is slow to process. */
function extremeRequests(): Record<string, Asked> {
  const hard = { words: "df['a'] = df.b + 1\n", marks: "a?", open: "([{", quotes: "'''\"", one: "a b " };
  const asked = Object.entries(hard).flatMap(([name, piece]): [string, Asked][] => [
    [`recommend, 256 KB of ${name}`, { path: "/v1/recommendations", body: { code: repeatTo(piece, 256 * KB) } }],
    [`label, 256 KB of ${name}`, { path: "/v1/labels", body: { code: repeatTo(piece, 256 * KB) } }],
    [
      `label, a notebook of 33 cells of 60 KB of ${name}`,
      { path: "/v1/labels", body: { notebook: notebook(Array.from({ length: 33 }, () => repeatTo(piece, 60 * KB))) } },
    ],
    [
      `upload, 300 cells of 59 KB of ${name}`,
      {
        path: `/v1/notebooks?name=${name}.ipynb`,
        body: notebook(Array.from({ length: 300 }, (_, at) => repeatTo(piece, 59 * KB) + at)),
      },
    ],
  ]);
  const before = Array.from({ length: 1_000 }, (_, at) => repeatTo(`x${at} = df.mean()\n`, KB - 24));
  return Object.fromEntries([
    ...asked,
    [
      "recommend, 1,000 cells before, 1 MB",
      { path: "/v1/recommendations", body: { code: "df.", context: { before } } },
    ],
    ["recommend, k = 100", { path: "/v1/recommendations", body: { code: "df.head()", k: 100, mode: "similar" } }],
    [
      "recommend, 20 MB before (refused)",
      { path: "/v1/recommendations", body: { code: "df.", context: { before: [repeatTo("x = 1\n", 20 * MB)] } } },
    ],
    [
      "label, 24 MB notebook (refused)",
      {
        path: "/v1/labels",
        body: { notebook: notebook(Array.from({ length: 4_000 }, () => repeatTo("df.head()\n", 6 * KB))) },
      },
    ],
    ["label, a notebook with 20 MB of outputs", { path: "/v1/labels", body: { notebook: withOutputs(20 * MB) } }],
    [
      "upload, a notebook with 20 MB of outputs",
      { path: "/v1/notebooks?name=outputs.ipynb", body: withOutputs(20 * MB) },
    ],
    [
      "upload, 5,000 ordinary cells",
      {
        path: "/v1/notebooks?name=large.ipynb",
        body: notebook(
          makeCorpus(2 * ORDINARY)
            .slice(ORDINARY)
            .map((code, at) => `${code}\nx${at} = 1`),
        ),
      },
    ],
    [
      "upload, 24 MB that is no JSON (refused)",
      { path: "/v1/notebooks?name=broken.ipynb", body: `{"cells": [${repeatTo("[1],", 24 * MB)}` },
    ],
    [
      "label, 20 MB of small values (refused)",
      { path: "/v1/labels", body: `{"notebook": {"cells": [${repeatTo("1,", 9 * MB)}1]}}` },
    ],
  ] as [string, Asked][]);
}

function repeatTo(piece: string, bytes: number): string {
  return piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
}

function notebook(cells: readonly string[]) {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: cells.map((source) => ({ cell_type: "code", metadata: {}, execution_count: null, outputs: [], source })),
  };
}

function withOutputs(bytes: number) {
  const { cells, ...rest } = notebook(["import pandas as pd\npd.read_csv('a.csv').plot()"]);
  return {
    ...rest,
    cells: cells.map((cell) => ({
      ...cell,
      outputs: [{ output_type: "display_data", metadata: {}, data: { "image/png": repeatTo("iVBORw0KGgo", bytes) } }],
    })),
  };
}

for (const [name, { path, body }] of Object.entries(extremeRequests())) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  parentPort!.postMessage({ name } satisfies Sent);
  await once(parentPort!, "message");
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${workerData}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: text,
  });
  await response.arrayBuffer();
  parentPort!.postMessage({ name, status: response.status, ms: performance.now() - start } satisfies Sent);
}
parentPort!.close();
