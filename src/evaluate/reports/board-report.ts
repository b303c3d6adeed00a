import { closePage, openPage } from "./html/page.js";
import { escapeHtml } from "./html/text.js";

/** A table for people, as Markdown and as a page. */
export interface BoardTable {
  readonly title: string;
  readonly note: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether the cells are words, which start at the left. */
  readonly isText?: true;
}

export function boardMarkdown(title: string, tables: readonly BoardTable[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  const parts = tables.map(({ title: head, note, columns, rows, isText }) => {
    const rule = line(columns.map((_, at) => (at === 0 || isText ? "---" : "---:")));
    return `\n## ${head}\n\n${note}\n\n${line(columns)}${rule}${rows.map(line).join("")}`;
  });
  return `# ${title}\n${parts.join("")}`;
}

export function boardPage(title: string, tables: readonly BoardTable[]): string {
  const parts = tables.map(({ title: head, note, columns, rows, isText }) => {
    const side = isText ? "" : ' class="num"';
    const cell = (text: string, at: number) =>
      at === 0 ? `<th scope="row">${escapeHtml(text)}</th>` : `<td${side}>${escapeHtml(text)}</td>`;
    const heads = columns.map((name, at) => `<th${at === 0 ? "" : side}>${escapeHtml(name)}</th>`);
    const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`);
    return `<section><h2>${escapeHtml(head)}</h2><p>${escapeHtml(note)}</p><div class="scroll"><table class="plot"><thead><tr>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div></section>\n`;
  });
  return `${openPage(title)}<header><p class="kind">celrec evaluation</p><h1>${escapeHtml(title)}</h1></header>\n${parts.join("")}${closePage()}`;
}
