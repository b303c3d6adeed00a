import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTable } from "../../../src/ingest/move/parquet.js";

describe("a table that is written", () => {
  it.runIf(existsSync("/dev/full"))("on a full disk says so", async () => {
    const table = createTable("/dev/full", { text: { type: "STRING" } }, {});
    const write = async () => {
      await table.write([{ text: "a" }]);
      await table.finish();
    };
    await expect(write()).rejects.toMatchObject({
      code: "DISK_FULL",
      message: "/dev/full cannot be written: the disk is full; make room and repeat the command.",
    });
  });
});
