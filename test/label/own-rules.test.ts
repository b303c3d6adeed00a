import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLabeller } from "../../src/label/label.js";

const RULE = { name: "asks-sql", label: "query_database", strength: 0.9, any: { methods: ["execute"] } };

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "celrec-labels-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const withRules = (...rules: unknown[]) =>
  createLabeller({ folder: folderWith({ "rules.jsonl": rules.map((rule) => JSON.stringify(rule)).join("\n") }) });

describe("labels of one's own", () => {
  it("come from rules without any training", () => {
    const labeller = withRules(RULE);
    expect(labeller.labels.at(-1)).toBe("query_database");
    expect(labeller.label("cursor.execute(q)", "cell").labels.map(({ label }) => label)).toContain("query_database");
    expect(labeller.label("t = pd.read_csv(f)", "cell").primary).toBe("ingest_data");
  });

  it("have an id of their own", () => {
    expect(withRules(RULE).id).not.toBe(createLabeller().id);
    expect(withRules(RULE).id).toBe(withRules(RULE).id);
    expect(withRules({ ...RULE, strength: 0.8 }).id).not.toBe(withRules(RULE).id);
  });

  it("are explained by their rules", () => {
    const own = withRules(RULE).explain("cursor.execute(q)", "cell").at(-1)!;
    expect(own.label).toBe("query_database");
    expect(own.probability).toBeCloseTo(0.901, 9);
    expect(own.contributions.map(({ feature }) => feature)).toEqual(["rule asks-sql"]);
  });

  it("come from the folder's own model where there is one", () => {
    const text = readFileSync("models/labels/model.jsonl", "utf8").replaceAll('"train_model"', '"teach"');
    const [header, ...parts] = text.split("\n");
    const sha256 = createHash("sha256").update(parts.join("\n")).digest("hex");
    const own = [JSON.stringify({ ...JSON.parse(header!), sha256 }), ...parts].join("\n");
    const labeller = createLabeller({
      folder: folderWith({ "model.jsonl": own, "rules.jsonl": JSON.stringify(RULE) }),
    });
    expect(labeller.labels).toContain("teach");
    expect(labeller.labels).toContain("query_database");
    expect(labeller.label("m.fit(x, y)", "cell").primary).toBe("teach");
    const folder = folderWith({ "model.jsonl": text });
    expect(() => createLabeller({ folder })).toThrow(/model\.jsonl, line 1: the sha-256 of what follows is/);
  });

  it.each([
    ["{", /rules\.jsonl, line 1: not JSON/],
    [`${JSON.stringify(RULE)}\n\n${JSON.stringify({ ...RULE, name: "b", strength: 2 })}`, /line 3: strength: /],
    [`${JSON.stringify(RULE)}\n${JSON.stringify(RULE)}`, /line 2: name: there is a rule asks-sql already/],
    [JSON.stringify({ ...RULE, name: "prints" }), /line 1: name: there is a rule prints already/],
    [JSON.stringify({ ...RULE, any: { verbs: ["x"] } }), /line 1: any: .*verbs/],
    [JSON.stringify({ ...RULE, any: {} }), /line 1: any: no word to look for/],
    [JSON.stringify({ ...RULE, label: "a b" }), /line 1: label: letters/],
  ])("names line and reason of a broken rule %#", (text, message) => {
    const folder = folderWith({ "rules.jsonl": text });
    expect(() => createLabeller({ folder })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(() => createLabeller({ folder })).toThrow(message);
  });

  it("refuse a folder that is empty or not there, and more labels than an index holds", () => {
    expect(() => createLabeller({ folder: folderWith({}) })).toThrow(/holds neither rules.jsonl nor model.jsonl/);
    expect(() => createLabeller({ folder: "/nowhere" })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    const many = Array.from({ length: 25 }, (_, at) => ({ ...RULE, name: `r${at}`, label: `l${at}` }));
    expect(() => withRules(...many)).toThrow(/33 labels, at most 32/);
  });
});
