import { describe, expect, it } from "vitest";
import { labelNotebook } from "../../src/label/label-notebook.js";
import { createRuleLabeller } from "./rule-labeller.js";

const labelsOf = (...codes: string[]) =>
  [...labelNotebook(createRuleLabeller(), codes)].map(({ labels }) => labels.map(({ label }) => label));

describe("labelNotebook", () => {
  it("gives a cell the labels of the functions it calls", () => {
    expect(labelsOf("def show(t):\n    plt.bar(t)\n    plt.show()", "show(t)")[1]).toEqual(["visualize_data"]);
  });

  it("follows functions that call functions", () => {
    const codes = ["def get(f):\n    return pd.read_csv(f)", "def both(f):\n    return get(f), get(f)", "both('x')"];
    expect(labelsOf(...codes)[2]).toEqual(["ingest_data"]);
  });

  it("takes each function's own lines, and its latest definition", () => {
    const codes = ["def a():\n    m.fit(x)\ndef b():\n    x.to_csv(f)", "b()", "def b():\n    m.fit(x)", "b()"];
    const labels = labelsOf(...codes);
    expect(labels[1]).toEqual(["transfer_results"]);
    expect(labels[3]).toEqual(["train_model"]);
  });

  it("takes over the purpose of a function, not its supporting tasks", () => {
    const codes = [
      "def score(m):\n    print(m.predict(x))",
      "y = t.dropna()\nscore(m)",
      "def f(t):\n    return t.dropna()",
      "f(t)",
    ];
    const labels = labelsOf(...codes);
    expect(labels[1]).toEqual(["process_data", "evaluate_model"]);
    expect(labels[3]).toEqual(["process_data"]);
  });

  it("does not look ahead", () => {
    expect(labelsOf("show(t)", "def show(t):\n    plt.show()")[0]).toEqual([]);
  });

  it("survives a function that calls itself", () => {
    expect(labelsOf("def f(n):\n    return f(n - 1)", "f(3)")).toEqual([[], []]);
  });

  it("looks into the first hundred functions of a cell", () => {
    const defined = Array.from({ length: 101 }, (_, at) => `def f${at}():\n    plt.show()`).join("\n");
    expect(labelsOf(defined, "f99()", "f100()").slice(1)).toEqual([["visualize_data"], []]);
  });
});
