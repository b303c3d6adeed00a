import type { Mutator } from "../src/evaluate/suite.js";
import { type Token, tokenize } from "../src/python/tokenize.js";
import { rewriteTokens } from "./syntax/edits.js";

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
        if (kind === "name") return isDrawn(tokens, at) ? (OTHER.get(text) ?? null) : null;
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

/**
 * Whether the token is a called plot method. `plot` is skipped unless it is called on axes: the `plot` of a data frame
 * has a parameter `kind` instead.
 */
function isDrawn(tokens: readonly Token[], at: number): boolean {
  if (tokens[at - 1]?.text !== "." || tokens[at + 1]?.text !== "(") return false;
  return tokens[at]!.text !== "plot" || /^(?:plt|ax\w*|\])$/.test(tokens[at - 2]?.text ?? "");
}
