import { csv } from "./csv.js";
import { html } from "./html.js";
import { json } from "./json.js";
import { markdown } from "./md.js";
import { qrels } from "./qrels.js";
import type { Report } from "./report.js";
import { run } from "./run.js";
import { xlsx } from "./xlsx.js";

/** Every format; the extension of a path chooses one. */
export const REPORTS: readonly Report[] = [json, csv, xlsx, markdown, html, run, qrels];
