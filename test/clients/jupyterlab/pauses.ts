// Run with `npm run pauses` in clients/jupyterlab. Measures how often the ghost text or the first card is right when
// the user pauses.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Answer, Completion } from "../../../clients/jupyterlab/src/answers.js";
import type { Variables } from "../../../clients/jupyterlab/src/kernel-expression.js";
import { createOffers, isGhostText } from "../../../clients/jupyterlab/src/offers.js";
import { type CellText, createQuestions } from "../../../clients/jupyterlab/src/question.js";
import { notebookText } from "./jupyter-server.js";

const FOLDER = process.argv[2] ?? "test/clients/jupyterlab/pauses";
const CURSOR = "‸";
const schema = JSON.parse(readFileSync("clients/jupyterlab/schema/plugin.json", "utf8")).properties;
const LIMITS = { k: schema.count.default, maxLines: schema.ghostLines.default };
const MIN_CONFIDENCE: number = schema.ghostConfidence.default;

/** The service learns from uploads ten seconds after the last one. */
const LEARN_MS = 20_000;

interface Pause {
  readonly cells: readonly CellText[];
  readonly offset: number;
  readonly variables: Variables;
  /** The text typed after the mark, to the end of the cell. */
  readonly rest: string;
}

type Call = (path: string, body: unknown) => Promise<unknown>;

const names = readdirSync(FOLDER).filter((name) => name.endsWith(".py"));
const pauses = names.flatMap((name) => readPauses(readFileSync(join(FOLDER, name), "utf8")));
const folder = mkdtempSync(join(tmpdir(), "celrec-pauses-"));
const service = await startService(folder);
try {
  await report("samples only");
  for (const name of names) {
    const sources = readCells(readFileSync(join(FOLDER, "earlier", name), "utf8")).map(({ source }) => source);
    await service.call(`/v1/notebooks?source=jupyter&name=earlier-${name}.ipynb`, JSON.parse(notebookText(sources)));
  }
  await new Promise((done) => setTimeout(done, LEARN_MS));
  await report("own earlier notebook indexed");
} finally {
  await service.stop();
  rmSync(folder, { recursive: true });
}

async function report(title: string): Promise<void> {
  const results: Awaited<ReturnType<typeof judge>>[] = [];
  for (const pause of pauses) results.push(await judge(pause, service.call));
  console.log(`\n${title}`);
  for (const { line, shown, ghostRight, card, cardRight } of results) {
    const mark = (text: string | null, isRight: boolean) =>
      text === null ? "-" : `${isRight ? "right" : "wrong"} ${text}`;
    console.log(`${line}\n    ghost ${mark(shown, ghostRight)}\n    card  ${mark(card, cardRight)}`);
  }
  const count = (is: (result: (typeof results)[number]) => boolean) => results.filter(is).length;
  const shown = count((each) => each.shown !== null);
  const right = count((each) => each.ghostRight);
  const either = count((each) => each.ghostRight || each.cardRight);
  console.log(`${title}: ${either} of ${results.length} right; ghost text shown ${shown}, right ${right}`);
}

/** Sends the same requests as the extension. */
async function judge({ cells, offset, variables, rest }: Pause, call: Call) {
  const cursor = { index: cells.length - 1, offset, path: "now.ipynb" };
  const texts = { length: cells.length, at: (index: number) => cells[index]! };
  const { question, completion } = createQuestions(
    texts,
    cursor,
    { ...LIMITS, minConfidence: MIN_CONFIDENCE },
    variables,
  )!;
  const askCompletions = async (body: object) =>
    ((await call("/v1/completions", body)) as { completions: readonly Completion[] }).completions;
  const completions = await askCompletions(completion);
  const answer = (await call("/v1/recommendations", question)) as Answer;
  // The panel shows a completion that is too unlikely for ghost text as its first card.
  const [inPanel = null] = completions;
  const ghost = isGhostText(completions, completion) ? inPanel : null;
  const { prefix, suffix, context } = completion;
  const [first] = createOffers({ prefix, suffix, before: context.before }, inPanel, answer.recommendations);
  const inserted = first?.plan.insertions.find(({ at }) => at === 0)?.text.trimStart() ?? null;
  const [line = ""] = inserted?.split("\n") ?? [];
  return {
    line: JSON.stringify(`${completion.prefix.split("\n").at(-1)}${CURSOR}${rest.split("\n")[0]}`),
    shown: ghost && `${JSON.stringify(ghost.text)} ${ghost.confidence.toFixed(2)}`,
    ghostRight: ghost !== null && continues(ghost.text, rest),
    card: inserted && JSON.stringify(inserted),
    // Of a recommended cell, only the first line is compared.
    cardRight:
      inserted !== null && (first!.hit === null ? continues(inserted, rest) : isSame(line, rest.split("\n")[0]!)),
  };
}

/** Whether the typed text starts with the whole text and continues with a new token. */
function continues(text: string, rest: string): boolean {
  const [given, typed] = [normalise(text), normalise(rest)];
  return given !== "" && typed.startsWith(given) && !/\w\w/.test(typed.slice(given.length - 1, given.length + 1));
}

function isSame(text: string, rest: string): boolean {
  return text.trim() !== "" && normalise(text) === normalise(rest);
}

function normalise(text: string): string {
  const plain = text.trim().replaceAll("'", '"');
  return plain.replace(/[^\S\n]+/g, " ");
}

/** The cells of a `# %%` file; `# kernel NAME TYPE COLUMN…` is a variable that the cell leaves behind. */
function readCells(text: string): (CellText & { variables: Variables })[] {
  return text
    .split(/^# %%/m)
    .slice(1)
    .map((part) => {
      const [mark = "", ...lines] = part.trimEnd().split("\n");
      const isKernel = (line: string) => line.startsWith("# kernel ");
      const variables = lines.filter(isKernel).map((line) => {
        const [name = "", type = "", ...columns] = line.split(" ").slice(2);
        return [name, { type, ...(columns.length > 0 && { columns }) }] as const;
      });
      const isMarkdown = mark.includes("markdown");
      const kept = lines.filter((line) => !isKernel(line)).map((line) => (isMarkdown ? line.slice(2) : line));
      const source = kept.join("\n");
      return { type: isMarkdown ? "markdown" : "code", source, variables: Object.fromEntries(variables) };
    });
}

/** The notebook as it was at each mark: nothing after the cursor, and the kernel has run the cells above. */
function readPauses(text: string): Pause[] {
  const cells = readCells(text);
  const plain = cells.map(({ type, source }) => ({ type, source: source.replaceAll(CURSOR, "") }));
  return cells.flatMap(({ source }, index) => {
    const parts = source.split(CURSOR);
    const variables = Object.assign({}, ...cells.slice(0, index).map((cell) => cell.variables)) as Variables;
    return parts.slice(1).map((_, at) => {
      const typed = parts.slice(0, at + 1).join("");
      const rest = parts.slice(at + 1).join("");
      return {
        cells: [...plain.slice(0, index), { type: "code", source: typed }],
        offset: typed.length,
        variables,
        rest,
      };
    });
  });
}

/** The program as the extension starts it. */
async function startService(data: string) {
  const words = ["dist/src/cli/main.js", "serve", "--samples", "--port", "0"];
  const child = spawn(process.execPath, words, {
    env: { ...process.env, CELREC_DATA: data },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let url = "";
  for await (const line of createInterface(child.stderr)) {
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (found === undefined) continue;
    url = found;
    break;
  }
  return {
    async call(path: string, body: unknown): Promise<unknown> {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return response.json();
    },
    async stop(): Promise<void> {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill();
      await ended;
    },
  };
}
