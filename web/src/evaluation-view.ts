import { type BarRow, renderBars, renderTrack, rowTitle, showFigure } from "./bars.js";
import { button, command, element, plural, showLabel } from "./dom.js";

type Json = Readonly<Record<string, unknown>>;

/** Metrics for which lower is better; a test compares the list with the evaluation's metrics. */
export const LOWER_IS_BETTER: ReadonlySet<string> = new Set([
  "ece",
  "mean-label-ece",
  "highest-label-ece",
  "prefix-kept",
  "undefined-names",
  "broken-tokens",
  "empty-calls",
  "silent",
  "length",
]);

const isLower = (metric: string): boolean => LOWER_IS_BETTER.has(metric.replace(/@\d+$/, ""));

/** A result file of `celrec eval`. */
interface Run {
  readonly name: string;
  readonly suite: string;
  readonly at: number;
  readonly figures: Readonly<Record<string, number | null>>;
  readonly result: Json;
}

/** Lists result files of `celrec eval`, and shows one or compares two. They are read in the browser and not uploaded. */
export function showEvaluation(view: HTMLElement): void {
  if (view.childElementCount > 0) return;
  let runs: readonly Run[] = [];
  let chosen: readonly Run[] = [];
  const list = element("ol", "runs");
  list.setAttribute("aria-label", "Runs");
  const status = element("p", "hint");
  status.setAttribute("role", "status");
  const shown = element("div", "shown");

  const add = async (files: readonly File[]) => {
    const read = await Promise.all(files.filter(({ name }) => name.endsWith(".json")).map(readRun));
    const found = read.filter((run) => run !== null);
    const isNew = ({ name }: Run) => !found.some((run) => run.name === name);
    runs = [...runs.filter(isNew), ...found].sort((one, other) => (one.name < other.name ? -1 : 1));
    const others = files.length - found.length;
    const skipped = others === 0 ? "" : `; ${plural(others, "other file")} left out`;
    status.textContent =
      found.length === 0
        ? "None of these files is a result of celrec eval."
        : `${plural(runs.length, "run")}${skipped}`;
    chosen = found.slice(0, 1);
    draw();
  };
  /** At most two files are chosen; a third replaces the oldest choice. */
  const toggle = (run: Run) => {
    chosen = chosen.includes(run) ? chosen.filter((each) => each !== run) : [...chosen, run].slice(-2);
    draw();
  };
  const draw = () => {
    const focused = document.activeElement?.id ?? "";
    list.replaceChildren(...runs.map(renderRun));
    const [first, second] = chosen;
    if (first === undefined) shown.replaceChildren();
    else shown.replaceChildren(...(second === undefined ? renderResult(first) : renderComparison(first, second)));
    if (focused !== "") document.getElementById(focused)?.focus();
  };
  const renderRun = (run: Run, at: number): HTMLElement => {
    const open = button(
      element("strong", "", run.suite),
      () => {
        chosen = [run];
        draw();
      },
      "run",
    );
    open.append(" ", element("span", "file", run.name), " ", element("span", "quiet", showDate(run.at)));
    const box = element("input") as HTMLInputElement;
    box.type = "checkbox";
    box.checked = chosen.includes(run);
    box.id = `run-${at}`;
    box.addEventListener("change", () => toggle(run));
    const item = element("li", chosen.includes(run) ? "chosen" : "", open, element("label", "", box, " Compare"));
    item.draggable = true;
    item.addEventListener("dragstart", ({ dataTransfer }) => dataTransfer?.setData("text/celrec-run", String(at)));
    item.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("text/celrec-run")) event.preventDefault();
    });
    item.addEventListener("drop", (event) => {
      const other = runs[Number(event.dataTransfer?.getData("text/celrec-run") || -1)];
      if (other === undefined || other === run) return;
      event.preventDefault();
      chosen = [other, run];
      draw();
    });
    return item;
  };

  view.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  view.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void add(files);
  });
  const intake = element(
    "div",
    "intake",
    element("p", "hint", "Open a folder of results, or drop files here. They stay in your browser."),
    element("p", "row", chooseFiles("result-folder", "Open folder", add), chooseFiles("result", "Open files", add)),
    element("p", "hint", "To compare two runs, drag one onto the other or tick both."),
  );
  view.append(
    element("h2", "", "Evaluation results"),
    intake,
    status,
    element("div", "split", list, shown),
    element("p", "hint", "To make a result and a report with all plots and the worst cases:"),
    command("celrec eval celrec --report out.json --report out.html"),
  );
}

function chooseFiles(id: string, text: string, onFiles: (files: readonly File[]) => Promise<void>): HTMLElement {
  const input = element("input") as HTMLInputElement;
  input.type = "file";
  input.id = id;
  input.multiple = true;
  if (id === "result-folder") input.webkitdirectory = true;
  else input.accept = ".json";
  input.addEventListener("change", () => void onFiles([...(input.files ?? [])]));
  const label = element("label", "", text);
  label.setAttribute("for", id);
  return element("span", "upload", input, label);
}

async function readRun(file: File): Promise<Run | null> {
  try {
    const result = JSON.parse(await file.text()) as Json;
    const figures = (result.means ?? result.mps1 ?? result.metrics) as Run["figures"] | undefined;
    if (typeof result.suite !== "string" || figures === undefined) return null;
    const name = file.webkitRelativePath === "" ? file.name : file.webkitRelativePath;
    return { name, suite: result.suite, at: file.lastModified, figures, result };
  } catch {
    return null;
  }
}

const showDate = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

function renderResult({ name, suite, figures, result }: Run): HTMLElement[] {
  const intervals = (result.ci95 ?? {}) as Record<string, [number, number]>;
  const counts = Object.entries((result.counts ?? {}) as Record<string, number>);
  const rows = Object.entries(figures).map(
    ([metric, value]): BarRow => ({
      name: metric,
      value,
      interval: intervals[metric],
      isLowerBetter: isLower(metric),
    }),
  );
  return [
    element("h3", "", `Suite ${suite}`),
    element(
      "p",
      "hint",
      `${name} · ${counts.map(([what, count]) => `${count.toLocaleString("en")} ${spell(what)}`).join(", ")}`,
    ),
    renderBars("Figures", "metric", rows),
    ...["byLabel", "byLines", "byOperator"].flatMap((group) => renderGroups(group, result[group])),
    ...renderReliability((result.confidence as Json | null)?.bins),
  ];
}

/** Compares the second run with the first, metric by metric. */
function renderComparison(first: Run, second: Run): HTMLElement[] {
  const metrics = Object.keys(first.figures).filter((metric) => metric in second.figures);
  const body = metrics.map((metric) => {
    const [before, after] = [first.figures[metric] ?? null, second.figures[metric] ?? null];
    const change = before === null || after === null ? null : after - before;
    const isBetter = change !== null && (isLower(metric) ? change < 0 : change > 0);
    const verdict = change === null || Math.abs(change) < 0.0005 ? "same" : isBetter ? "better" : "worse";
    const text = change === null ? "–" : `${change < 0 ? "−" : "+"}${showFigure(Math.abs(change))}`;
    const both = [before, after].map((value) => renderTrack(value, null, isLower(metric)));
    return element(
      "tr",
      "",
      rowTitle(metric, isLower(metric)),
      element("td", "wide pair", ...both),
      ...[before, after].map((value) => element("td", "number", value === null ? "–" : showFigure(value))),
      element("td", `number ${verdict}`, `${text} ${verdict}`),
    );
  });
  const heads = ["A", "B", "change"].map((text) => element("th", "number", text));
  const table = element(
    "table",
    "bars compared",
    element("caption", "", `${plural(metrics.length, "metric")} in both`),
    element("thead", "", element("tr", "", element("th", "", "metric"), element("td", "wide"), ...heads)),
    element("tbody", "", ...body),
  );
  const isOther = first.suite !== second.suite;
  return [
    element("h3", "", "Comparison"),
    element("p", "hint", `A: ${first.name} (${first.suite}) · B: ${second.name} (${second.suite})`),
    ...(isOther
      ? [element("p", "problem", "The runs are of different suites: equal names may measure different things.")]
      : []),
    table,
  ];
}

/** Converts `recommendationCells` to words. */
const spell = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The named rows of figures of any suite. */
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
    const title = rowTitle(showLabel(String(row[key] ?? "none")), false);
    const cells = metrics.map((metric) => element("td", "number", showNumber(row[metric], isCount(metric))));
    return element("tr", "", title, ...cells);
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
  return [renderBars("Accuracy by confidence", "confidence", rows, ["right", "hits"])];
}

function showNumber(value: unknown, isCount: boolean): string {
  if (typeof value !== "number") return "–";
  return isCount ? value.toLocaleString("en") : value.toFixed(3);
}
