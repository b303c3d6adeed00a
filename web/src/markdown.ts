import { element, link } from "./dom.js";

const INLINE =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|(?<!\w)[*_](\S(?:.*?\S)?)[*_](?!\w)|!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)/;
/** Headings of a notebook get lower levels than those of the page. */
const HEADING_OFFSET = 2;

/** A tag or comment of HTML. Prose with `<` and `>`, such as `a < b`, has no letter after the `<`. */
const HTML = /<!--[\s\S]*?-->|<\/?[a-zA-Z][^<>\n]*>/g;

/** The common part of Markdown as elements: headings, lists, quotes, code, emphasis and links. Of HTML only the text is shown. */
export function renderMarkdown(text: string): HTMLElement {
  const box = element("div", "markdown");
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const fence = /^\s*(```|~~~|\$\$)/.exec(line)?.[1];
    if (fence !== undefined) {
      const end = lines.findIndex((other, index) => index > at && other.trim().startsWith(fence));
      const stop = end === -1 ? lines.length : end;
      box.append(element("pre", "", element("code", "", lines.slice(at + 1, stop).join("\n"))));
      at = stop + 1;
      continue;
    }
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (heading !== null) {
      const level = Math.min(6, heading[1]!.length + HEADING_OFFSET);
      box.append(element(`h${level}`, "", ...renderInline(heading[2]!)));
      at += 1;
      continue;
    }
    const take = (test: RegExp): string[] => {
      const start = at;
      while (at < lines.length && test.test(lines[at]!)) at += 1;
      return lines.slice(start, at);
    };
    if (LIST.test(line)) {
      const isNumbered = /^\s*\d/.test(line);
      const items = take(LIST).map((item) => element("li", "", ...renderInline(item.replace(LIST, ""))));
      box.append(element(isNumbered ? "ol" : "ul", "", ...items));
    } else if (/^\s*>/.test(line)) {
      const quoted = take(/^\s*>/).map((each) => each.replace(/^\s*>\s?/, ""));
      box.append(element("blockquote", "", renderMarkdown(quoted.join("\n"))));
    } else if (/^\s*\|/.test(line)) {
      box.append(element("pre", "", take(/^\s*\|/).join("\n")));
    } else if (/^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,})$/.test(line)) {
      box.append(element("hr"));
      at += 1;
    } else if (line.trim() === "") at += 1;
    else {
      const start = at;
      at += 1;
      while (at < lines.length && !/^\s*(?:$|#{1,6}\s|```|~~~|>|\|)/.test(lines[at]!) && !LIST.test(lines[at]!))
        at += 1;
      const paragraph = renderInline(lines.slice(start, at).join("\n"));
      if (paragraph.some((part) => typeof part !== "string" || part.trim() !== ""))
        box.append(element("p", "", ...paragraph));
    }
  }
  return box;
}

const LIST = /^\s*(?:[-*+]|\d+[.)])\s+/;

function renderInline(text: string): (string | Node)[] {
  const found = INLINE.exec(text);
  if (found === null) return [text.replace(HTML, "")];
  const [all, , code, bold, alsoBold, emphasis, title, address] = found;
  const rest = renderInline(text.slice(found.index + all.length));
  return [text.slice(0, found.index).replace(HTML, ""), toNode(), ...rest];

  function toNode(): string | Node {
    if (code !== undefined) return element("code", "", code);
    const strong = bold ?? alsoBold;
    if (strong !== undefined) return element("strong", "", ...renderInline(strong));
    if (emphasis !== undefined) return element("em", "", ...renderInline(emphasis));
    // External images are not loaded; their description is shown.
    if (all.startsWith("!") || !/^https?:\/\//.test(address!)) return title!;
    const made = link(address!, "", title!);
    made.rel = "noreferrer";
    return made;
  }
}
