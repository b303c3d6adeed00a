import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RecommenderError } from "../../src/errors.js";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { idOf, makeFolder, problemOf, startService, upload } from "./service.js";

const FIT = "model.fit(X, y)";
const identityOf = ({ embedder, labeller }: Awaited<ReturnType<typeof startService>>["deps"]) => ({
  embedder: embedder.id,
  dimensions: embedder.dimensions,
  labeller: labeller.id,
  labels: labeller.labels,
});

describe("failures of the store", () => {
  it("answers 503 if the index is locked, logs the pid of the other writer, and reads on", async () => {
    const service = await startService();
    await upload(service, "a", [FIT]);
    const writer = { pid: 4711, activity: "celrec index notebooks", url: "http://127.0.0.1:9" };
    const other = createEmbeddedStore({
      folder: service.folder,
      identity: identityOf(service.deps),
      writer,
      hold: "session",
    });
    onTestFinished(() => other.close());
    await other.remove(idOf("nothing"));
    for (const write of [
      () => upload(service, "b", ["x = 1"]),
      () => service.call("DELETE", `/v1/notebooks/${idOf("a")}`),
      () => service.call("DELETE", "/v1/index"),
    ]) {
      const answer = await write();
      expect(problemOf(answer)).toEqual({
        status: 503,
        detail: "Another process is writing the index; try again later.",
      });
      expect(answer.headers.get("retry-after")).toBe("5");
      expect(service.logged.at(-1)).toMatchObject({
        message: "refused",
        values: {
          code: "INDEX_LOCKED",
          detail: `Process 4711 (celrec index notebooks) is writing the index in ${service.folder}; wait until it is done, or send the notebooks to it: POST http://127.0.0.1:9/v1/notebooks.`,
        },
      });
    }
    expect(
      (await service.call("POST", "/v1/recommendations", { code: FIT, mode: "similar" })).body.recommendations.length,
    ).toBe(1);
    expect((await upload(service, "a", [FIT])).status).toBe(200);
    await other.close();
    expect((await upload(service, "b", ["x = 1"])).status).toBe(201);
  });

  it("answers 409 if the index was made by another embedder, with the command that re-embeds", async () => {
    const service = await startService();
    const writer = { pid: process.pid, activity: "test" };
    const identity = { ...identityOf(service.deps), embedder: "other-1", dimensions: 8 };
    const other = createEmbeddedStore({ folder: service.folder, identity, writer, hold: "call" });
    await other.open();
    await other.close();
    const detail =
      "The index was made with another embedder or label set; the operator of the service can convert it with celrec reembed.";
    const logged = `The index in ${service.folder} was made with the embedder other-1 (8 dimensions), not ${service.deps.embedder.id} (${service.deps.embedder.dimensions}). Go back to its own settings, or convert it: celrec reembed`;
    expect(problemOf(await service.call("GET", "/v1/stats"))).toEqual({ status: 409, detail });
    expect(problemOf(await upload(service, "a", [FIT]))).toEqual({ status: 409, detail });
    expect((await service.call("GET", "/readyz")).body).toEqual({
      status: "not ready",
      store: "INDEX_MISMATCH",
      model: "ok",
    });
    for (const { values } of service.logged) expect(values).toMatchObject({ code: "INDEX_MISMATCH", detail: logged });
  });

  it("answers 503 if the store becomes unavailable during a request", async () => {
    const down = () => Promise.reject(new RecommenderError("STORE_UNAVAILABLE", "The store did not answer."));
    const failing: (keyof VectorStore)[] = ["search", "write", "cells"];
    for (const name of failing) {
      const service = await startService();
      await upload(service, "a", [FIT]);
      const before = await service.stats();
      const store = service.deps.store as { -readonly [Name in keyof VectorStore]: VectorStore[Name] };
      const { forQuestion } = service.deps.store;
      Object.assign(store, { [name]: down, forQuestion: () => ({ ...forQuestion!(), [name]: down }) });
      const answer = await (name === "write"
        ? upload(service, "b", ["x = 1"])
        : service.call("POST", "/v1/recommendations", { code: FIT }));
      expect(problemOf(answer)).toEqual({
        status: 503,
        detail: "The index cannot be used now; the log of the service has the details.",
      });
      expect(answer.headers.get("retry-after")).toBe("5");
      expect(await service.stats()).toEqual(before);
    }
  });

  it("answers 500 to a bug, without its details, and logs them", async () => {
    const service = await startService({}, ({ store }) => ({
      store: { ...store, counts: () => Promise.reject(new TypeError("secret of the inside")) },
    }));
    const answer = await service.call("GET", "/v1/stats");
    expect(problemOf(answer)).toEqual({
      status: 500,
      detail: "Something went wrong inside celrec; the log has the details.",
    });
    expect(service.logged).toMatchObject([
      { message: "unexpected error", values: { requestId: answer.body.requestId } },
    ]);
  });

  it("keeps a cell that was deleted while a notebook with it was being stored", async () => {
    const service = await startService();
    await upload(service, "a", [FIT]);
    let interrupt = async () => {};
    Object.assign(service.deps.embedder, {
      embed: async (texts: readonly string[]) => {
        const act = interrupt;
        interrupt = async () => {};
        await act();
        return texts.map(() => new Float32Array(service.deps.embedder.dimensions).fill(1));
      },
    });
    interrupt = async () => void (await service.deps.store.remove(idOf("a")));
    const answer = await upload(service, "b", [FIT, "x = 1"]);
    expect(answer.status).toBe(201);
    expect(await service.stats()).toMatchObject({ cells: 2, notebooks: 1 });
  });

  it("answers 503 if the folder of the index cannot be made", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "file"), "");
    const service = await startService({ CELREC_DATA: join(folder, "file", "index") });
    expect(problemOf(await service.call("GET", "/v1/stats")).status).toBe(503);
  });
});

describe("a full disk", () => {
  it("answers 507 to writes, allows reads, and recovers when there is space again", async ({ skip }) => {
    const many = Array.from({ length: 200 }, (_, at) => `value_${at} = compute(${at})`);
    const folder = mountSmallDisk();
    if (folder === null) {
      console.warn("skipped: a full disk cannot be made here: mounting a tmpfs needs root");
      skip();
    }
    const service = await startService({ CELREC_DATA: join(folder!, "index") });
    expect((await upload(service, "a", [FIT])).status).toBe(201);
    expect((await upload(service, "long", many.slice(0, 100))).status).toBe(201);
    const before = await service.stats();
    fill(join(folder!, "ballast"));
    const answer = await upload(service, "b", many);
    expect(problemOf(answer)).toMatchObject({
      status: 507,
      detail: "The disk of the service is full; delete notebooks to free space.",
    });
    expect((await upload(service, "b", many)).status).toBe(507);
    expect(await service.stats()).toEqual(before);
    expect(
      (await service.call("POST", "/v1/recommendations", { code: FIT, mode: "similar" })).body.recommendations.length,
    ).toBeGreaterThan(0);
    // The reserve allows removals, while other writes still fail.
    const { notebooks } = (await service.call("GET", "/v1/notebooks")).body;
    const long = (notebooks as { id: string; name: string }[]).find(({ name }) => name === "long")!.id;
    expect((await service.call("DELETE", `/v1/notebooks/${long}`)).status).toBe(204);
    expect(await service.stats()).toMatchObject({ cells: 1 });
    rmSync(join(folder!, "ballast"));
    expect((await upload(service, "b", many)).status).toBe(201);
  });

  it("filled by uploads still allows deleting every notebook, then accepts uploads again", async ({ skip }) => {
    const folder = mountSmallDisk(6);
    if (folder === null) {
      console.warn("skipped: a full disk cannot be made here: mounting a tmpfs needs root");
      skip();
    }
    const service = await startService({ CELREC_DATA: join(folder!, "index") });
    const draw = (name: number, cells: number) =>
      Array.from({ length: cells }, (_, at) => `value_${name}_${at} = compute("${name}", ${at})\n`.repeat(20));
    const stored: number[] = [];
    for (let name = 0; (await upload(service, `${name}`, draw(name, 30))).status === 201; name += 1) stored.push(name);
    expect(stored.length).toBeGreaterThan(5);
    // Smaller uploads still fit until the disk is completely full.
    let status = 201;
    for (let name = 1_000; status === 201; name += 1) {
      ({ status } = await upload(service, `${name}`, draw(name, 1)));
      if (status === 201) stored.push(name);
    }
    expect(status).toBe(507);
    // Another program takes the space freed by a removal.
    for (const name of stored) {
      fill(join(folder!, "ballast"));
      const { status } = await service.call("DELETE", `/v1/notebooks/${idOf(`${name}`)}`);
      expect([name, status]).toEqual([name, 204]);
    }
    expect(await service.stats()).toMatchObject({ cells: 0, notebooks: 0 });
    rmSync(join(folder!, "ballast"));
    expect((await upload(service, "again", draw(0, 30))).status).toBe(201);
    fill(join(folder!, "ballast"));
    expect((await service.call("DELETE", "/v1/index")).status).toBe(204);
    expect(await service.stats()).toMatchObject({ cells: 0, notebooks: 0 });
  });

  it("does not prevent opening the index or forgetting a source", async ({ skip }) => {
    const folder = mountSmallDisk(6);
    if (folder === null) {
      console.warn("skipped: a full disk cannot be made here: mounting a tmpfs needs root");
      skip();
    }
    const data = join(folder!, "index");
    const before = await startService({ CELREC_DATA: data });
    const draw = (name: number) =>
      Array.from({ length: 10 }, (_, at) => `value_${name}_${at} = compute("${name}", ${at})\n`.repeat(20));
    let stored = 0;
    while ((await upload(before, `${stored}`, draw(stored))).status === 201) stored += 1;
    const counted = await before.stats();
    await before.deps.close();
    fill(join(folder!, "ballast"));
    const service = await startService({ CELREC_DATA: data });
    expect(await service.stats()).toEqual(counted);
    const { sources } = (await service.call("GET", "/v1/sources")).body as { sources: { id: string }[] };
    expect((await service.call("DELETE", `/v1/sources/${sources[0]!.id}`)).status).toBe(204);
    expect(await service.stats()).toMatchObject({ cells: 0, notebooks: 0 });
  });
});

/** A disk of so many MB, or null if this process may not mount one. */
function mountSmallDisk(size = 3): string | null {
  const folder = join(makeFolder(), "disk");
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

function fill(path: string): void {
  for (const size of [2 ** 20, 2 ** 12, 1]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    }
  }
}
