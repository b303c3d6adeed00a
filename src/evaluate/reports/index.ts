import { csv } from "./csv.js";
import { pdf, svg } from "./figures.js";
import { html } from "./html.js";
import { json } from "./json.js";
import { latex } from "./latex.js";
import { markdown } from "./markdown.js";
import type { Report } from "./write-reports.js";
import { xlsx } from "./xlsx.js";

/** The formats of every suite; the extension of a path chooses one. A suite may add its own. */
export const REPORTS: readonly Report[] = [json, csv, xlsx, markdown, html, latex, svg, pdf];
