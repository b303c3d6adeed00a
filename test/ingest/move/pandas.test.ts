import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createIngest } from "../../../src/ingest/ingest.js";
import { exportIndex } from "../../../src/ingest/move/export-index.js";
import { requires } from "../../require.js";
import { embedder, labeller, notebook, useStores } from "../fixtures.js";

const { newFolder, newStore } = useStores();
const python = process.env.CELREC_TEST_PYTHON ?? ".venv-test/bin/python";
const hasPandas = requires("python", canImport(), "pandas and pyarrow: pip install -r test/requirements.txt");

/** The first steps of a pandas user with the exported files. */
const SCRIPT = `
import json, sys
import numpy as np, pandas as pd
cells = pd.read_parquet(sys.argv[1])
vectors = np.stack([np.frombuffer(v, dtype="<f4") for v in cells.vector])
print(json.dumps({
    "code": sorted(cells.code), "shape": vectors.shape, "lengths": np.linalg.norm(vectors, axis=1).round(4).tolist(),
    "train": cells[cells.labels.str.contains("train_model")].code.tolist()}))
`;

describe.skipIf(!hasPandas)("an export", () => {
  it("is a table that pandas opens", async () => {
    const store = newStore();
    await createIngest({ embedder, labeller, store })([notebook("a.ipynb", "model.fit(X, y)", "é = 'ü'", "x = 1")]);
    const file = join(newFolder(), "cells.parquet");
    const identity = {
      embedder: embedder.id,
      dimensions: embedder.dimensions,
      labeller: labeller.id,
      labels: labeller.labels,
    };
    await exportIndex(store, identity, file);
    expect(JSON.parse(execFileSync(python, ["-c", SCRIPT, file], { encoding: "utf8" }))).toEqual({
      code: ["model.fit(X, y)", "x = 1", "é = 'ü'"],
      shape: [3, 512],
      lengths: [1, 1, 1],
      train: ["model.fit(X, y)"],
    });
  });
});

function canImport(): boolean {
  try {
    execFileSync(python, ["-c", "import numpy, pandas, pyarrow"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
