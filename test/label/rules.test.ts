import { describe, expect, it } from "vitest";
import { readFacts } from "../../src/label/facts.js";
import { LABELS } from "../../src/label/labeller.js";
import { compileRule } from "../../src/label/rule.js";
import { NEWER_RULES, RULES } from "../../src/label/rules.js";

const ALL = [...RULES, ...NEWER_RULES];

const CASES: readonly (readonly [code: string, rules: readonly string[]])[] = [
  ["import os", ["imports-modules"]],
  ["!pip install polars", ["installs-packages"]],
  ["pip install polars", ["installs-packages"]],
  ["warnings.filterwarnings('ignore')", ["configures-notebook"]],
  ["%matplotlib inline", ["configures-notebook", "runs-magics"]],
  ["np.random.seed(1)", ["fixes-seeds"]],
  ["EPOCHS = 10\nROOT = 'data'", ["computes-only", "sets-constants"]],
  ["t = pd.read_csv(f)", ["computes-only", "reads-tables"]],
  ["t = my_read_csv(f)", ["computes-only", "reads-tables"]],
  ["img = cv2.imread(f)", ["computes-only", "reads-files"]],
  ["x, y = load_iris(return_X_y=True)", ["computes-only", "loads-datasets"]],
  ["print(a)", ["prints"]],
  ["total", ["shows-value"]],
  ["t.shape", ["inspects-tables", "shows-tables", "shows-value"]],
  ["print(t.shape, u.head())", ["inspects-tables", "prints", "shows-tables"]],
  ["n = t.shape[0]", ["computes-only", "inspects-tables"]],
  ["f(t.shape)", ["inspects-tables"]],
  ["os.listdir('.')", ["lists-files"]],
  ["len(t)", ["asks-sizes"]],
  ["t['a'] = 1", ["assigns-columns", "computes-only"]],
  ["t = t.dropna()", ["computes-only", "keeps-reshaped", "reshapes-tables"]],
  ["n = f(t.dropna())", ["computes-only", "reshapes-tables"]],
  ["x = MinMaxScaler().fit_transform(x)", ["computes-only", "keeps-reshaped", "prepares-features"]],
  ["x = np.zeros(3)", ["builds-arrays", "computes-only"]],
  ["s = word_tokenize(s)", ["cleans-text", "computes-only"]],
  ["p = cv2.resize(p, (8, 8))", ["computes-only", "keeps-reshaped", "prepares-images"]],
  ["sns.heatmap(m)", ["decorates-plots", "draws-plots"]],
  ["axis.set_title('a')", ["decorates-plots"]],
  ["px.treemap(t)", ["decorates-plots", "draws-plots"]],
  ["plot_curves(m)", ["plots-by-name", "plots-by-stem"]],
  ["show_images(batch)", ["plots-by-name"]],
  ["grafico('a')", ["plots-by-stem"]],
  ["twoplot(t, 'a')", ["plots-by-stem"]],
  ["paragraph(t)\nexploit(t)", []],
  ["display(t)", ["displays"]],
  ["m.fit(x, y)", ["fits-models"]],
  ["m = LogisticRegression()", ["builds-estimators", "computes-only"]],
  ["m = other_LogisticRegression()", ["builds-estimators", "computes-only"]],
  ["n = Sequential()", ["builds-networks", "computes-only"]],
  ["run(epochs=3)", ["sets-hyperparameters"]],
  ["p = m.predict(x)", ["computes-only", "predicts"]],
  ["e = mean_squared_error(a, b)", ["computes-only", "measures"]],
  ["v_measure_score(a, b)", ["measures"]],
  ["plot_confusion_matrix(m, x, y)", ["measures", "plots-by-name", "plots-by-stem", "plots-metrics"]],
  ["RocCurveDisplay.from_estimator(m, x, y)", ["draws-plots", "plots-metrics"]],
  ["s.best_score_", ["reads-scores", "shows-value"]],
  ["s.best_params_", ["shows-value"]],
  ["t.to_csv('a.csv')", ["writes-tables"]],
  ["joblib.dump(m, f)", ["saves-models"]],
  ["with open(f, 'w') as out:\n    pass", ["opens-to-write"]],
  ["os.makedirs(d)", ["makes-folders"]],
  ["", []],
  ["this is a sentence", []],
];

describe("label rules", () => {
  const matchers = ALL.map((rule) => [rule.name, compileRule(rule)] as const);
  const matching = (code: string) => {
    const facts = readFacts(code);
    return matchers.flatMap(([name, matches]) => (matches(facts) ? [name] : [])).sort();
  };

  it.each(CASES)("%j matches %j", (code, rules) => {
    expect(matching(code)).toEqual(rules);
  });

  it("have names of their own", () => {
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it("each have a test case, a label of the set, and a strength below 1", () => {
    const tested = new Set(CASES.flatMap(([, rules]) => rules));
    for (const { name, label, strength } of ALL) {
      expect([name, tested.has(name), LABELS.includes(label as never), strength > 0 && strength < 1]).toEqual([
        name,
        true,
        true,
        true,
      ]);
    }
  });
});
