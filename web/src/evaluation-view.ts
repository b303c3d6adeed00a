import { type BarRow, renderBars } from "./bars.js";
import { element, plural, showLabel } from "./dom.js";

type Json = Readonly<Record<string, unknown>>;

/** Shows a result file of `celrec eval`. It is read in the browser and not uploaded. */
export function showEvaluation(view: HTMLElement): void {
  if (view.childElementCount > 0) return;
  const input = element("input") as HTMLInputElement;
  input.type = "file";
  input.id = "result";
  input.accept = ".json";
  const label = element("label", "", "Choose the JSON file of a run: ");
  label.setAttribute("for", "result");
  const shown = element("div");
  shown.setAttribute("role", "status");
  input.addEventListener("change", async () => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    try {
      shown.replaceChildren(...renderResult(JSON.parse(await file.text()) as Json));
    } catch {
      shown.replaceChildren(element("p", "", `${file.name} is not a result of celrec eval.`));
    }
  });
  const command = element("code", "", "celrec eval celrec --report out.json");
  view.append(
    element("h2", "", "Evaluation result"),
    element("p", "hint", "Made by ", command, "; --report out.html has all plots and the worst cases."),
    element("p", "row", label, input),
    shown,
  );
}

function renderResult(result: Json): HTMLElement[] {
  const figures = (result.mps1 ?? result.metrics) as Record<string, number | null> | undefined;
  if (typeof result.suite !== "string" || figures === undefined) throw new Error("not a result");
  const intervals = (result.ci95 ?? {}) as Record<string, [number, number]>;
  const counts = Object.entries((result.counts ?? {}) as Record<string, number>);
  const rows = Object.entries(figures).map(
    ([name, value]): BarRow => ({ name, value, interval: value !== null && value > 1 ? null : intervals[name] }),
  );
  return [
    element("h3", "", `Suite ${result.suite}`),
    element("p", "", counts.map(([name, count]) => `${count.toLocaleString("en")} ${spell(name)}`).join(", ")),
    renderBars("Figures", "metric", rows),
    ...["byLabel", "byLines", "byOperator"].flatMap((name) => renderGroups(name, result[name])),
    ...renderReliability((result.confidence as Json | null)?.bins),
  ];
}

/** `recommendationCells` as words. */
const spell = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Named rows of figures, for any suite. */
function renderGroups(name: string, groups: unknown): HTMLElement[] {
  if (!Array.isArray(groups) || groups.length === 0) return [];
  const rows = groups as Record<string, unknown>[];
  const [key = ""] = Object.keys(rows[0]!);
  const metrics = Object.keys(rows[0]!)
    .filter((field) => field !== key && rows.some((row) => typeof row[field] === "number"))
    .slice(0, 6);
  const head = [key, ...metrics].map((text, at) => element("th", at === 0 ? "" : "number", spell(text)));
  const isCount = (metric: string) => rows.every((row) => row[metric] == null || Number.isInteger(row[metric]));
  const body = rows.map((row) => {
    const title = element("th", "", showLabel(String(row[key] ?? "none")));
    title.setAttribute("scope", "row");
    return element(
      "tr",
      "",
      title,
      ...metrics.map((metric) => element("td", "number", showNumber(row[metric], isCount(metric)))),
    );
  });
  const caption = `${spell(name).replace(/^by /, "By ")} (${plural(rows.length, "row")})`;
  const table = element(
    "table",
    "figures",
    element("caption", "", caption),
    element("thead", "", element("tr", "", ...head)),
    element("tbody", "", ...body),
  );
  const frame = element("div", "scroll", table);
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", caption);
  return [frame];
}

function renderReliability(bins: unknown): HTMLElement[] {
  if (!Array.isArray(bins)) return [];
  const rows = (bins as Record<string, number | null>[])
    .filter(({ hits }) => (hits ?? 0) > 0)
    .map(({ from, to, hits, ...figures }) => ({
      name: `${from} – ${to}`,
      value: figures.shareUseful ?? figures.shareAccepted ?? null,
      note: String(hits),
    }));
  return [renderBars("Accuracy by confidence", "confidence", rows)];
}

function showNumber(value: unknown, isCount: boolean): string {
  if (typeof value !== "number") return "–";
  return isCount ? value.toLocaleString("en") : value.toFixed(3);
}
