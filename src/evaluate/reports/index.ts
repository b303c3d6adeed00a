import { csv } from "./csv.js";
import { html } from "./html.js";
import { json } from "./json.js";
import { markdown } from "./markdown.js";
import type { Report } from "./report.js";
import { xlsx } from "./xlsx.js";

/** The formats of every suite; the extension of a path chooses one. A suite may add its own. */
export const REPORTS: readonly Report[] = [json, csv, xlsx, markdown, html];
