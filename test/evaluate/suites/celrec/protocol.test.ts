import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mutators } from "../../../../mutators/index.js";
import {
  isPaperProtocol,
  PAPER_PROTOCOL,
  protocolOfSeries,
  readProtocol,
  resolveProtocol,
} from "../../../../src/evaluate/suites/celrec/protocol.js";

function write(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "celrec-protocol-")), "protocol.json");
  writeFileSync(file, text);
  return file;
}

describe("readProtocol", () => {
  it("reads the example file as the paper's protocol", () => {
    expect(JSON.parse(readFileSync("examples/celrec-protocol.json", "utf8"))).toEqual(PAPER_PROTOCOL);
    expect(isPaperProtocol(readProtocol("examples/celrec-protocol.json"))).toBe(true);
  });

  it("uses the paper's values for omitted fields", () => {
    const protocol = readProtocol(write('{"k": 10, "z": 4}'));
    expect(protocol).toEqual({ ...PAPER_PROTOCOL, k: 10, z: 4 });
    expect(isPaperProtocol(protocol)).toBe(false);
  });

  it.each([
    ["[]", /is wrong: the file: /],
    ["{", /cannot be read: /],
    ['{"z": 1}', /z: unrelated must be lower than z/],
    ['{"ratings": [5]}', /Unrecognized key: "ratings"/],
    ['{"mutants": [{"rating": 5, "operators": []}], "k": 0}', /k: .*; mutants\.0\.operators: /],
  ])("refuses %s", (text, message) => {
    expect(() => readProtocol(write(text))).toThrow(message);
  });
});

describe("protocolOfSeries", () => {
  const find = (names: readonly string[]) => names.map((name) => mutators.find((one) => one.name === name)!);

  it("makes the paper's protocol of its operators", () => {
    const names = ["rename-variables", "insert-comments", "reverse-lines"];
    expect(protocolOfSeries(names, find(names))).toEqual(PAPER_PROTOCOL);
  });

  it("rates the last of any number of mutants 3, and separates hard negatives", () => {
    const names = ["change-quotes", "other-column", "drop-lines"];
    expect(protocolOfSeries(names, find(names))).toMatchObject({
      mutants: [
        { rating: 4, operators: ["change-quotes"] },
        { rating: 3, operators: ["change-quotes", "drop-lines"] },
      ],
      hardNegatives: ["other-column"],
    });
    expect(() => protocolOfSeries(["other-column"], find(["other-column"]))).toThrow(/not a hard negative/);
  });
});

describe("resolveProtocol", () => {
  it("names an operator that does not exist", async () => {
    const wrong = { ...PAPER_PROTOCOL, hardNegatives: ["nonsense"] };
    await expect(resolveProtocol(wrong, mutators)).rejects.toThrow(/Unknown mutator "nonsense"/);
  });
});
