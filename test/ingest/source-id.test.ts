import { expect, it } from "vitest";
import { sourceId } from "../../src/ingest/source-id.js";

it("gives any name of a source an id, the same one always", () => {
  expect(sourceId("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(sourceId("\ud800")).toBe(sourceId("\ufffd"));
});
