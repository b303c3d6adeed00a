import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeFeature, type LabelEntry } from "../../src/cli/label-files.js";
import { LABELS } from "../../src/label/labeller.js";
import { celrec, ipynb, makeFolder } from "./celrec.js";

const SHOW = "def show(d):\n    plt.plot(d)\n    plt.title('x')\n    plt.show()";
const read = (stdout: string) => JSON.parse(stdout) as LabelEntry[];
const sigmoid = (score: number) => 1 / (1 + Math.exp(-score));

describe("celrec label of a notebook", () => {
  it("gives a call the labels of the function that an earlier cell defines", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb(SHOW, "show(t)"), "b.jsonl": '{"source": "show(t)"}' });
    const [carried, alone] = await Promise.all([
      celrec(["label", "--json", "--explain", join(folder, "a.ipynb")]),
      celrec(["label", "--json", join(folder, "b.jsonl")]),
    ]);
    const call = read(carried.stdout)[1]!;
    expect(call.labels.map(({ label }) => label)).toContain("visualize_data");
    expect(read(alone.stdout)[0]!.probabilities.visualize_data).toBeLessThan(call.probabilities.visualize_data!);
    const why = call.explain!.find(({ label }) => label === "visualize_data")!;
    expect(why.contributions[0]!.feature).toBe("call of a function that an earlier cell defines");
  });
});

describe("celrec label of lines that end as on Windows", () => {
  it("gives the same labels as with Unix line ends", async () => {
    const [unix, windows] = await Promise.all(
      [SHOW, SHOW.replaceAll("\n", "\r\n")].map((input) => celrec(["label", "--json"], { input })),
    );
    expect(windows!.stdout).toBe(unix!.stdout);
  });
});

describe("celrec label --explain", () => {
  it("adds up to the probability of every label", async () => {
    const { stdout } = await celrec(["label", "--json", "--explain"], { input: SHOW });
    const [{ explain, probabilities }] = read(stdout) as [Required<LabelEntry>];
    expect(explain.map(({ label }) => label)).toEqual([...LABELS]);
    for (const { label, probability, base, contributions, rest } of explain) {
      expect(contributions.length).toBeLessThanOrEqual(10);
      expect(probability).toBeCloseTo(probabilities[label]!, 9);
      expect(sigmoid(contributions.reduce((sum, { amount }) => sum + amount, base + rest))).toBeCloseTo(probability, 6);
    }
  });

  it("prints the strongest reasons of each label that a cell gets", async () => {
    const { stdout } = await celrec(["label", "--explain"], { input: 'df = pd.read_csv("a.csv")' });
    const [head, label, ...reasons] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^\[0\] ingest_data [\d.]+$/);
    expect(label).toMatch(/^ {2}ingest_data [\d.]+$/);
    expect(reasons).toHaveLength(5);
    for (const reason of reasons) expect(reason).toMatch(/^ {4}[+-]\d+\.\d\d {2}\S/);
    expect(stdout).toContain("rules for ingest_data");
  });
});

describe("describeFeature", () => {
  it.each([
    ["methods fit", "method .fit()"],
    ["no task train_model", "no rules for train_model"],
    ["last call head", "last statement: call head"],
    ["statements", "number of statements"],
    ["strings $&", "string with $&"],
    ["call of a function that an earlier cell defines", "call of a function that an earlier cell defines"],
  ])("describes %s as %s", (feature, words) => {
    expect(describeFeature(feature)).toBe(words);
  });
});
