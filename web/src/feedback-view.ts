import { renderBars } from "./bars.js";
import { element, plural, showLabel } from "./dom.js";
import { service } from "./service.js";

/** Shows what users did with recommendations. */
export async function showFeedback(view: HTMLElement): Promise<void> {
  view.replaceChildren(element("h2", "", "What users did with recommendations"));
  try {
    const { events, all, byLabel, byRank, byMode, byConfidence, byEmbedder } = await service().feedbackSummary();
    const counts = [
      plural(all.shown, "hit was", "hits were"),
      `seen, ${all.accepted} accepted, ${events.edited} of them edited, ${events.dismissed} dismissed.`,
    ];
    const groups = { label: byLabel, rank: byRank, mode: byMode, confidence: byConfidence, embedder: byEmbedder };
    const tables = Object.entries(groups)
      .filter(([, rows]) => Object.keys(rows).length > 0)
      .map(([name, rows]) =>
        renderBars(
          `Accepted, by ${name}`,
          name,
          Object.entries(rows).map(([group, { rate, interval, shown }]) => ({
            name: name === "label" ? showLabel(group) : group,
            value: rate,
            interval: interval as [number, number] | null,
            note: String(shown),
          })),
        ),
      );
    const hint = "A report with a reliability curve, and the effect of other confidence thresholds: ";
    view.append(
      element("p", "", counts.join(" ")),
      ...tables,
      element("p", "hint", hint, element("code", "", "celrec eval feedback --report feedback.html")),
    );
  } catch (error) {
    view.append(element("p", "", (error as Error).message));
  }
}
