import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createReranker } from "../../src/recommend/rerank.js";
import {
  chooseModelFolder,
  readRerankModel,
  readUsualOrigins,
  removeOwnModel,
  writeOwnModel,
} from "../../src/recommend/rerank-model.js";
import { hasPython } from "../mutators/python.js";
import { requires } from "../require.js";

const FOLDER = "models/rerank";

/** Opens a changed copy of the model; returns null or the error. */
async function openChanged(change: (folder: string) => Promise<unknown>): Promise<Error | null> {
  const folder = await mkdtemp(join(tmpdir(), "celrec-rerank-"));
  try {
    await cp(FOLDER, folder, { recursive: true });
    await change(folder);
    return await createReranker({ folder }).then(
      () => null,
      (error: Error) => error,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The file stays valid, so only the checksum detects the change. */
async function changeDigit(folder: string): Promise<void> {
  const file = join(folder, "weights.json");
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace(/\d(?=,?\n)/, (digit) => String((Number(digit) + 1) % 10)),
  );
}

describe("the model of the second stage", () => {
  it("knows the calls that usually make the value of a variable, if the model has such a file", async () => {
    const origins = await readUsualOrigins(FOLDER);
    const names = ["X_train", "X_test", "y_pred", "fpr", "no_such_name"];
    expect(names.map((name) => origins.get(name))).toEqual([
      ["=train_test_split 0", "=drop"],
      ["=train_test_split 1", "=copy"],
      ["=predict"],
      ["=roc_curve 0"],
      undefined,
    ]);
    const error = await openChanged(async (folder) => {
      const file = join(folder, "model.json");
      const manifest = JSON.parse(await readFile(file, "utf8"));
      delete manifest.sha256["origins.json"];
      await writeFile(file, JSON.stringify(manifest));
      expect([...(await readUsualOrigins(folder))]).toEqual([]);
    });
    expect(error).toBeNull();
  });

  it("is reported with both checksums and advice if a byte is damaged", async () => {
    const { sha256 } = JSON.parse(await readFile(join(FOLDER, "model.json"), "utf8"));
    const error = await openChanged(changeDigit);
    expect(error).toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect(error!.message).toMatch(/weights\.json is damaged: its sha-256 is [0-9a-f]{64}, model\.json has /);
    expect(error!.message).toContain(`${sha256["weights.json"]}; install celrec again`);
  });

  it.each(["weights.json", "frequencies.json", "model.json"])("is named if %s is missing", async (name) => {
    const error = await openChanged((folder) => rm(join(folder, name)));
    expect(error).toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect(error!.message).toMatch(new RegExp(`${name} cannot be read`));
  });

  it("is reported if its description omits a file", async () => {
    const error = await openChanged(async (folder) => {
      const manifest = { model: "rerank", revision: "1", sha256: {} };
      await writeFile(join(folder, "model.json"), JSON.stringify(manifest));
    });
    expect(error!.message).toContain("model.json has none");
  });

  it("is accepted after its description was updated", async ({ skip }) => {
    if (!requires("python", hasPython, "install Python 3.10 or later")) return skip();
    const error = await openChanged(async (folder) => {
      await changeDigit(folder);
      expect(spawnSync("python3", ["scripts/model_manifest.py", folder]).status).toBe(0);
    });
    expect(error).toBeNull();
  });
});

const SHIPPED = "models/rerank";
const data = mkdtempSync(join(tmpdir(), "celrec-own-model-"));
afterAll(() => rmSync(data, { recursive: true }));

describe("a model beside an index", () => {
  it("is the shipped model until another is trained, and again after that is removed", async () => {
    expect(chooseModelFolder(data, SHIPPED)).toBe(SHIPPED);
    const shipped = await readRerankModel(SHIPPED);
    const own = { ...shipped, weights: { ...shipped.weights, complete: { cosine: 2 } } };
    const folder = writeOwnModel(data, own, SHIPPED);
    expect(chooseModelFolder(data, SHIPPED)).toBe(folder);
    expect(await readRerankModel(folder)).toEqual(own);
    // Its checksums are right, and the word frequencies are there.
    expect((await createReranker({ folder })).rerank).toBeTypeOf("function");
    expect([removeOwnModel(data), removeOwnModel(data)]).toEqual([true, false]);
    expect(chooseModelFolder(data, SHIPPED)).toBe(SHIPPED);
  });
});
