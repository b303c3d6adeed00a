import { rewriteTokens } from "../src/clean/edits.js";
import { tokenize } from "../src/clean/tokenize.js";
import type { Mutator } from "../src/evaluate/mutator.js";

const OTHER: ReadonlyMap<string, string> = new Map([
  ["plot", "scatter"],
  ["scatter", "plot"],
  ["bar", "barh"],
  ["barh", "bar"],
  ["hist", "boxplot"],
  ["pie", "bar"],
  ["boxplot", "violinplot"],
  ["violinplot", "boxplot"],
  ["countplot", "histplot"],
  ["histplot", "kdeplot"],
  ["distplot", "kdeplot"],
  ["kdeplot", "histplot"],
  ["barplot", "pointplot"],
  ["lineplot", "scatterplot"],
  ["scatterplot", "lineplot"],
  ["regplot", "residplot"],
  ["heatmap", "clustermap"],
  ["pairplot", "jointplot"],
  ["imshow", "contourf"],
  ["line", "area"],
]);

const otherChart: Mutator = {
  name: "other-chart",
  description: "Draws another kind of chart: scatter for plot, violinplot for boxplot.",
  kind: "hard-negative",
  apply: (code) => {
    const tokens = tokenize(code);
    return rewriteTokens(
      code,
      ({ kind, text }, at) => {
        const isMethod = tokens[at - 1]?.text === "." && tokens[at + 1]?.text === "(";
        if (kind === "name") return isMethod ? (OTHER.get(text) ?? null) : null;
        const [, quote, name] = (kind === "string" && /^(['"])(\w+)\1$/.exec(text)) || [];
        const other = OTHER.get(name ?? "");
        const isKind = tokens[at - 1]?.text === "=" && tokens[at - 2]?.text === "kind";
        return other !== undefined && isKind ? quote + other + quote : null;
      },
      tokens,
    );
  },
};

export default otherChart;
