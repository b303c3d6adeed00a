import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import { fastFolder } from "../fast-folder.js";
import { describeVectorStore } from "./contract.js";

const writer = { pid: process.pid, activity: "the contract suite" };

describeVectorStore("embedded", () => {
  const folder = mkdtempSync(join(fastFolder, "celrec-store-"));
  return {
    open: (identity) => createEmbeddedStore({ folder, identity, writer, hold: "call" }),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
