import type { Client, ProblemError } from "../../src/ask/client.js";
import { renderBars } from "./bars.js";
import { command, element, plural, showLabel, showShare } from "./dom.js";
import { service } from "./service.js";

type Summary = Awaited<ReturnType<Client["feedbackSummary"]>>;

/** Number of days in the trend. */
const DAYS = 30;

/** Shows how many recommendations users accepted. */
export async function showFeedback(view: HTMLElement): Promise<void> {
  const title = element("h2", "", "What users did with suggestions");
  try {
    view.replaceChildren(title, ...renderSummary(await service().feedbackSummary()));
  } catch (error) {
    const isOff = (error as Partial<ProblemError>).problem?.status === 404;
    view.replaceChildren(title, ...(isOff ? explainOff() : [element("p", "empty", (error as Error).message)]));
  }
}

function explainOff(): HTMLElement[] {
  return [
    element("p", "", "Feedback is switched off. No event is stored."),
    element("p", "hint", "To switch it on, start the service with this setting:"),
    command("CELREC_FEEDBACK=on celrec serve"),
    element(
      "p",
      "hint",
      "It stores the rank, labels and confidence of a suggestion and whether it was used. It stores no code.",
    ),
  ];
}

function renderSummary({ events, all, byDay, ...groups }: Summary): HTMLElement[] {
  const tiles = [
    ["seen", all.shown.toLocaleString("en")],
    ["accepted", all.accepted.toLocaleString("en")],
    ["accepted share", all.rate === null ? "–" : showShare(all.rate)],
    ["edited", events.edited.toLocaleString("en")],
    ["dismissed", events.dismissed.toLocaleString("en")],
  ].map(([name, value]) => element("div", "", element("dt", "", name!), element("dd", "", value!)));
  const named = {
    label: groups.byLabel,
    rank: groups.byRank,
    mode: groups.byMode,
    confidence: groups.byConfidence,
    embedder: groups.byEmbedder,
  };
  const tables = Object.entries(named)
    .filter(([, rows]) => Object.keys(rows).length > 0)
    .map(([name, rows]) =>
      renderBars(
        `Accepted, by ${name}`,
        name,
        Object.entries(rows).map(([group, { rate, interval, shown }]) => ({
          name: name === "label" ? showLabel(group) : group,
          value: rate,
          interval: interval as [number, number] | null,
          note: shown.toLocaleString("en"),
        })),
        ["share", "seen"],
        showShare,
      ),
    );
  const empty = "Nothing yet. An event is stored when a suggestion was on the screen for a second, or was used.";
  return [
    element("dl", "tiles", ...tiles),
    ...(all.shown === 0 ? [element("p", "hint", empty)] : [renderTrend(byDay)]),
    ...tables,
    element("p", "hint", "A report with a reliability curve, and the effect of other confidence thresholds:"),
    command("celrec eval feedback --report feedback.html"),
  ];
}

/** A column chart by day: seen and accepted suggestions. */
function renderTrend(byDay: Summary["byDay"]): HTMLElement {
  const days = Object.entries(byDay).slice(-DAYS);
  const most = Math.max(...days.map(([, { shown }]) => shown));
  const columns = days.map(([day, { shown, accepted }]) => {
    const column = element("span", "column", element("span", "accepted"));
    column.style.setProperty("--share", String(shown / most));
    column.style.setProperty("--part", String(accepted / shown));
    const text = `${accepted} of ${shown}`;
    return element("li", "", element("span", "count", text), column, element("span", "day", day.slice(5)));
  });
  const list = element("ol", "trend", ...columns);
  list.setAttribute("aria-label", "Accepted of seen, by day");
  const caption = `Accepted of seen, by day (${plural(days.length, "day")} with events)`;
  return element("figure", "", element("figcaption", "", caption), list);
}
