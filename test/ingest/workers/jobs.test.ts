import { describe, expect, it } from "vitest";
import { RecommenderError } from "../../../src/errors.js";
import { createMakeCells } from "../../../src/ingest/make-cells.js";
import { findMismatch, isExport, notebooksFile, toNotes } from "../../../src/ingest/move/export-index.js";
import { createInlineWorkers, createTasks, createWorkers } from "../../../src/ingest/workers.js";
import { profileCell } from "../../../src/python/profile.js";
import { packProfile } from "../../../src/store/profile-pack.js";
import { embedder, labeller } from "../fixtures.js";

/** Runs the threads' tasks on this thread and records the jobs. A task in `fails` throws that error. */
function watch({ embeds, inline, fails = {} }: { embeds: boolean; inline?: number; fails?: Record<string, Error> }) {
  const jobs: [string, unknown][] = [];
  const tasks = createTasks({ labeller, embedder: embeds ? embedder : null });
  const pool = {
    size: 3,
    call: async (task: string, input: unknown) => {
      jobs.push([task, input]);
      if (fails[task] !== undefined) throw fails[task];
      return tasks[task as keyof typeof tasks](input as never);
    },
    start: async () => {},
    close: async () => {},
  } as never;
  const workers = createWorkers({ pool, labeller, embedder, embeds, ...(inline !== undefined && { inline }) });
  return { workers, jobs };
}
const cells = (...codes: string[]) => codes.map((code, at) => ({ id: `${at}`, code, cellIndex: at }));
const bytes = Buffer.from(JSON.stringify({ nbformat: 4, cells: [{ cell_type: "code", source: "x = 1" }] }));

describe("the jobs of workers", () => {
  it("make the same cells, whether threads or the caller make the vectors", async () => {
    const wanted = cells("x = 1", "# nothing", "", "___", "df.head()");
    const expected = await createMakeCells({ labeller, embedder })(wanted);
    expect([...expected.values()].map((made) => (typeof made === "string" ? made : made.clean))).toEqual([
      "comments only",
      "empty",
      "x = 1",
      "no tokens",
      "df.head()",
    ]);
    for (const embeds of [true, false]) {
      const { workers, jobs } = watch({ embeds });
      expect(new Map([...(await workers.make(wanted))].sort())).toEqual(new Map([...expected].sort()));
      // Only the code is sent to the threads.
      const [[task, input]] = jobs as [[string, unknown]];
      expect([jobs.length, task, input]).toEqual([
        1,
        embeds ? "make" : "prepare",
        wanted.map(({ id, code }) => ({ id, code })),
      ]);
      expect(workers.size).toBe(3);
    }
  });

  it("hold 32 cells, or 64 KB of code", async () => {
    const sizes = async (codes: string[]) => {
      const { workers, jobs } = watch({ embeds: true });
      const made = await workers.make(cells(...codes));
      expect(made.size).toBe(codes.length);
      return jobs.map(([, input]) => (input as unknown[]).length);
    };
    expect(await sizes(Array.from({ length: 70 }, (_, at) => `x = ${at}`))).toEqual([32, 32, 6]);
    expect(await sizes(Array.from({ length: 64 }, (_, at) => `x = ${at}`))).toEqual([32, 32]);
    const half = `x = "${"y".repeat(32 * 1024 - 6)}"`;
    expect(await sizes([half, half, half])).toEqual([2, 1]);
    expect(await sizes([half.slice(1), half, half])).toEqual([3]);
    expect(await sizes([])).toEqual([]);
  });

  it("run on this thread if they are small; the limit for reads is ten times higher", async () => {
    const { workers, jobs } = watch({ embeds: true, inline: 10 });
    await workers.make(cells("x = 12", "y = "));
    await workers.read({ format: "ipynb", bytes: Buffer.from(" ".repeat(100)) });
    await workers.parse("ipynb", Buffer.from(" ".repeat(100)));
    expect(jobs).toEqual([]);
    await workers.make(cells("x = 12", "y = 3"));
    await workers.read({ format: "ipynb", bytes: Buffer.from(" ".repeat(101)) });
    await workers.parse("ipynb", Buffer.from(" ".repeat(101)));
    expect(jobs.map(([task]) => task)).toEqual(["make", "read", "parse"]);
    await workers.read({ format: "ipynb", file: "/none" as never });
    expect(jobs.length).toBe(4);
  });

  it("read and parse a notebook", async () => {
    for (const workers of [watch({ embeds: true }).workers, createInlineWorkers({ labeller, embedder })]) {
      expect(await workers.read({ format: "ipynb", bytes })).toMatchObject({ code: { cells: [{ code: "x = 1" }] } });
      expect(await workers.parse("ipynb", bytes)).toEqual({
        notebook: { cells: [{ index: 0, type: "code", source: "x = 1" }] },
      });
    }
  });

  it("that kill a thread reject the notebook; other failures are thrown", async () => {
    const tooLarge = new RecommenderError("TOO_LARGE", "it needs more than 10 MB");
    const { workers } = watch({ embeds: true, fails: { read: tooLarge, parse: tooLarge, make: tooLarge } });
    const rejected = { rejected: { kind: "too-large", reason: "it needs more than 10 MB" } };
    expect(await workers.read({ format: "ipynb", bytes })).toEqual(rejected);
    expect(await workers.parse("ipynb", bytes)).toEqual(rejected);
    await expect(workers.make(cells("x = 1"))).rejects.toBe(tooLarge);
    for (const error of [new RecommenderError("MODEL_UNAVAILABLE", "no model"), new Error("a bug")])
      await expect(
        watch({ embeds: true, fails: { read: error } }).workers.read({ format: "ipynb", bytes }),
      ).rejects.toBe(error);
  });

  it("leave the vectors to the main thread if they have no embedder", () => {
    const tasks = createTasks({ labeller, embedder: null });
    expect(tasks.make([])).toBeUndefined();
    expect([...tasks.prepare(cells("x = 1", "")).entries()]).toEqual([
      [
        "0",
        {
          id: "0",
          code: "x = 1",
          clean: "x = 1",
          labels: expect.any(Array),
          primary: null,
          profile: packProfile(profileCell("x = 1")),
        },
      ],
      ["1", "empty"],
    ]);
  });
});

describe("the tables of an export", () => {
  const identity = { embedder: "e@1", dimensions: 4, labeller: "l@1", labels: ["a", "b"] };

  it("have related file names", () => {
    expect(["a.parquet", "a", "a.parquet.x"].map(notebooksFile)).toEqual([
      "a.notebooks.parquet",
      "a.notebooks.parquet",
      "a.parquet.x.notebooks.parquet",
    ]);
  });

  it("record the settings of the index, and report a mismatch", () => {
    const notes = toNotes(identity);
    expect(notes).toEqual({
      "celrec.format": "1",
      "celrec.embedder": "e@1",
      "celrec.dimensions": "4",
      "celrec.labeller": "l@1",
      "celrec.labels": "a,b",
    });
    expect(isExport(new Map(Object.entries(notes)))).toBe(true);
    expect(isExport(new Map([["celrec.format", "2"]]))).toBe(false);
    expect(isExport(new Map())).toBe(false);
    const mismatch = (change: Record<string, string | undefined>) =>
      findMismatch(
        new Map(
          Object.entries({ ...notes, ...change }).filter(([, value]) => value !== undefined) as [string, string][],
        ),
        identity,
      );
    expect(mismatch({})).toBeNull();
    expect(mismatch({ "celrec.labeller": "other" })).toBeNull();
    expect(mismatch({ "celrec.dimensions": "5" })).toBe("dimensions 5, not 4");
    expect(mismatch({ "celrec.labels": "a" })).toBe("labels a, not a,b");
    expect(mismatch({ "celrec.embedder": undefined })).toBe("embedder unknown, not e@1");
    expect(mismatch({ "celrec.embedder": "f@1" })).toBe("embedder f@1, not e@1");
  });
});
