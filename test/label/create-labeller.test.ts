import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLabeller } from "../../src/label/create-labeller.js";
import { LABELS, type LabelHead } from "../../src/label/labeller.js";
import { strip } from "../../src/python/strip.js";

interface Case extends Record<LabelHead, Record<string, number>> {
  readonly source: string;
}

const labeller = createLabeller();
const cases = readFileSync("test/label/cases.jsonl", "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

describe("createLabeller", () => {
  it.each(cases)("gives the probabilities of the training script for $source", ({ source, ...wanted }) => {
    for (const head of ["cell", "prefix"] as const) {
      const { probabilities } = labeller.label(strip(source).text, head);
      expect(Object.keys(probabilities)).toEqual([...LABELS]);
      for (const label of LABELS) expect(probabilities[label]).toBeCloseTo(wanted[head][label]!, 6);
    }
  });

  it.each([
    ["import os\nimport sys", "setup_notebook"],
    ["t = pd.read_parquet('a.parquet')", "ingest_data"],
    ["t.describe()", "validate_data"],
    ["t = t.merge(u, on='id').fillna(0)", "process_data"],
    ["plt.hist(x)\nplt.show()", "visualize_data"],
    ["m = Ridge(alpha=2)\nm.fit(x, y)", "train_model"],
    ["e = mean_absolute_error(y, m.predict(x))", "evaluate_model"],
    ["t.to_csv('out.csv')", "transfer_results"],
  ])("gives %j the primary label %s", (code, label) => {
    expect(labeller.label(code, "cell").primary).toBe(label);
  });

  it.each([
    ["grafico('Sex')", ["visualize_data"]],
    ["graficos_por_ano(vendas)", ["visualize_data"]],
    ["three_plots(train, 'Fare')", ["visualize_data"]],
    ["df.plot.area()", ["visualize_data"]],
    ["prices.plot.area(alpha=0.4)", ["visualize_data"]],
    ["plot_confusion_matrix(model, X_test, y_test)", ["evaluate_model", "visualize_data"]],
    ["PrecisionRecallDisplay.from_estimator(model, X_test, y_test)", ["evaluate_model", "visualize_data"]],
    ["print(accuracy_score(y_test, y_pred))", ["evaluate_model", "validate_data"]],
    ["print('F1', f1_score(y_test, guesses))", ["evaluate_model", "validate_data"]],
    ["print(classification_report(y_test, y_pred))", ["evaluate_model", "validate_data"]],
    ["r2_score(y_test, fitted)", ["evaluate_model"]],
    ["search.fit(X, y)\nsearch.best_params_", ["train_model", "validate_data"]],
    ["missing = df.isnull().sum()\ndf = df.drop(columns=missing.index)", ["process_data"]],
    ["df = df.dropna()\nprint(df.shape)", ["process_data", "validate_data"]],
    ["df = pd.read_csv('a.csv')\ndf['a'] = df['a'].fillna(0)", ["ingest_data", "process_data"]],
  ])("gives %j the labels %j and no others", (code, labels) => {
    const given = labeller.label(code, "cell").labels.map(({ label }) => label);
    expect(given.sort()).toEqual(labels);
  });

  it("assigns no label without known features", () => {
    for (const code of ["", "\n\n", "ceci n'est pas du code", "%%bash\necho a"]) {
      expect(labeller.label(code, "cell").probabilities.train_model).toBeLessThan(0.2);
    }
    expect(labeller.label("", "cell").labels).toEqual([]);
  });

  it("keeps labels possible for a half-typed cell", () => {
    const { labels, possible } = labeller.label("import pandas as pd", "prefix");
    expect(possible).toEqual(expect.arrayContaining(labels.map(({ label }) => label)));
    expect(possible).toContain("ingest_data");
  });

  it("answers in order, with the most probable label first", () => {
    const { labels, primary } = labeller.label("t = pd.read_csv(f)\nt.head()", "cell");
    expect(labels.map(({ label }) => label).sort()).toEqual(["ingest_data", "validate_data"]);
    expect(labels[0]!.label).toBe(primary);
    expect(labels[0]!.probability).toBeGreaterThanOrEqual(labels[1]!.probability);
  });

  it.each([
    ["other language", "library(dplyr)\nx <- c(1,2)\nsummary(x) %>% print"],
    ["half a surrogate", "x = '\ud800'\n\udc00 = 3"],
    ["control characters", "\0\u0001\ufeffx\u2028y"],
    ["only a bracket", "((((((((("],
    ["1 MB of statements", "a = f(b)\n".repeat(110_000)],
    ["1 MB of brackets", "(".repeat(1_000_000)],
    ["1 MB of one name", "a".repeat(1_000_000)],
    ["1 MB of commas", `x = [${"1,".repeat(500_000)}]`],
    ["1 MB of colons", `if ${":".repeat(1_000_000)}`],
    ["1 MB of quotes", "'\"".repeat(500_000)],
    ["1 MB of dots", "a.".repeat(500_000)],
  ])("survives %s", (_, code) => {
    const { probabilities } = labeller.label(code, "cell");
    for (const label of LABELS) expect(probabilities[label]).toSatisfy((p: number) => p >= 0 && p <= 1);
  });

  it("never throws, and answers the same again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (code) => {
        expect(labeller.label(code, "prefix")).toEqual(labeller.label(code, "prefix"));
      }),
      { numRuns: 300 },
    );
  });

  it("explains every probability by amounts that add up to it", () => {
    for (const { source } of cases) {
      for (const { probability, base, contributions, label } of labeller.explain(source, "cell")) {
        const logit = contributions.reduce((sum, { amount }) => sum + amount, base);
        expect([label, 1 / (1 + Math.exp(-logit))]).toEqual([label, expect.closeTo(probability, 9)]);
      }
    }
    const plot = labeller.explain("plt.hist(x)", "cell").find(({ label }) => label === "visualize_data")!;
    expect(plot.contributions[0]!.amount).toBeGreaterThan(0);
  });
});

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

  it("have their own id", () => {
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

  it("come from the folder's own model if there is one", () => {
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
    expect(() => createLabeller({ folder })).toThrow(/model\.jsonl, line 1: the sha-256 of the following lines is/);
  });

  it.each([
    ["{", /rules\.jsonl, line 1: not JSON/],
    [`${JSON.stringify(RULE)}\n\n${JSON.stringify({ ...RULE, name: "b", strength: 2 })}`, /line 3: strength: /],
    [`${JSON.stringify(RULE)}\n${JSON.stringify(RULE)}`, /line 2: name: there is a rule asks-sql already/],
    [JSON.stringify({ ...RULE, name: "prints" }), /line 1: name: there is a rule prints already/],
    [JSON.stringify({ ...RULE, any: { verbs: ["x"] } }), /line 1: any: .*verbs/],
    [JSON.stringify({ ...RULE, any: {} }), /line 1: any: every word list is empty/],
    [JSON.stringify({ ...RULE, label: "a b" }), /line 1: label: letters/],
  ])("names line and reason of a broken rule %#", (text, message) => {
    const folder = folderWith({ "rules.jsonl": text });
    expect(() => createLabeller({ folder })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(() => createLabeller({ folder })).toThrow(message);
  });

  it("refuse an empty or missing folder, and more labels than an index supports", () => {
    expect(() => createLabeller({ folder: folderWith({}) })).toThrow(/holds neither rules.jsonl nor model.jsonl/);
    expect(() => createLabeller({ folder: "/nowhere" })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    const many = Array.from({ length: 25 }, (_, at) => ({ ...RULE, name: `r${at}`, label: `l${at}` }));
    expect(() => withRules(...many)).toThrow(/33 labels, at most 32/);
  });
});
