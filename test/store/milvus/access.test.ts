import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { promisify } from "node:util";
import { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createMilvusStore } from "../../../src/store/milvus.js";
import { requires } from "../../require.js";
import { cell, IDENTITY, ids, notebook, put } from "../contract/fixtures.js";
import { hasMilvusLite, LITE_ADDRESS, newPlace } from "./server.js";

const FOLDER = process.env.CELREC_TEST_MILVUS_DIR ?? ".milvus";
const PORT = 29630;
const address = `127.0.0.1:${PORT}`;
const HOW = `no Milvus to start in ${FOLDER} (CELREC_TEST_MILVUS_DIR); install one with: python3 scripts/milvus-server.py start`;
const X = { vector: Float32Array.of(1, 0, 0, 0), k: 3, strong: true };

describe.runIf(requires("milvus", existsSync(`${FOLDER}/venv/bin/milvus-server`), HOW))(
  "a Milvus that wants a password",
  () => {
    const server = (...words: string[]) =>
      promisify(execFile)("python3", [
        "scripts/milvus-server.py",
        words[0]!,
        FOLDER,
        "--port",
        `${PORT}`,
        ...words.slice(1),
      ]);
    beforeAll(async () => {
      await server("stop");
      await rm(`${FOLDER}/data-${PORT}`, { recursive: true, force: true });
      await server("start", "--auth");
    }, 300_000);
    afterAll(() => server("stop"));

    it.each([
      ["none", {}],
      ["a wrong one", { token: "root:wrong" }],
    ])("refuses %s, and says which variable to check", { timeout: 60_000 }, async (_, access) => {
      const store = createMilvusStore({ address, identity: IDENTITY, ...access });
      const error = await store.open().then(
        () => null,
        (reason: Error) => reason,
      );
      expect(error).toMatchObject({ code: "STORE_UNAVAILABLE" });
      expect(error!.message).toContain("check CELREC_MILVUS_TOKEN (user:password, or an API key)");
      expect(error!.message).not.toContain("wrong");
      await store.close();
    });

    it("accepts the right token, and keeps an index in its own database", { timeout: 180_000 }, async () => {
      const token = "root:Milvus";
      const client = new MilvusClient({ address, token, logLevel: "error", telemetry: { enabled: false } });
      await client.connectPromise;
      await client.createDatabase({ db_name: "team" });
      const store = createMilvusStore({ address, token, database: "team", identity: IDENTITY });
      const one = cell("one");
      await put(store, [notebook("one.ipynb", [one])]);
      expect(ids(await store.search(X))).toEqual([one.id]);
      expect((await client.listCollections({ db_name: "team" })).data.length).toBe(3);
      expect((await client.listCollections({ db_name: "default" })).data).toEqual([]);
      await store.destroy();
      await store.close();
      await client.closeConnection();
    });
  },
);

describe.runIf(await hasMilvusLite())("a Milvus behind TLS", () => {
  it("is trusted by the certificate that is named, and by no other", { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "celrec-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
    const names = ["-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", [...words, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
    const [host, port] = LITE_ADDRESS.split(":");
    const options = { key: readFileSync(key), cert: readFileSync(cert), ALPNProtocols: ["h2"] };
    const front = createServer(options, (socket) => {
      const behind = connect({ host: host!, port: Number(port) });
      socket.pipe(behind).pipe(socket);
      socket.on("error", () => behind.destroy());
      behind.on("error", () => socket.destroy());
    });
    front.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void front.close());
    const place = newPlace(LITE_ADDRESS);
    onTestFinished(() => place.drop());
    const secured = `localhost:${(front.address() as AddressInfo).port}`;
    const open = (tls: boolean | string) =>
      createMilvusStore({ address: secured, tls, identity: IDENTITY, prefix: place.prefix });
    const store = open(cert);
    const one = cell("one");
    await put(store, [notebook("one.ipynb", [one])]);
    expect(ids(await store.search(X))).toEqual([one.id]);
    await store.close();
    for (const tls of [true, false]) {
      const stranger = open(tls);
      await expect(stranger.open()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
      await stranger.close();
    }
  });
});
