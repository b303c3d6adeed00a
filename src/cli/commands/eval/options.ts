import { type Command, InvalidArgumentError, Option } from "commander";
import type { Report } from "../../../evaluate/reports/write-reports.js";
import type { SuiteOption } from "../../../evaluate/suite.js";
import { MODEL_APIS, type ModelApi, OPENAI_URL } from "../../../evaluate/targets/model/chat-api.js";
import { asRecord } from "../../../notebook/json-text.js";
import { FILTERS, type FilterMode, MODES, type Mode } from "../../../recommend/recommendation.js";
import { collect, diversityOption, parseChoice, parseInteger } from "../../parse-options.js";

/** Report flags of every suite. */
export interface ReportOptions {
  readonly report: readonly string[];
  readonly failUnder: readonly Threshold[];
}

/** Flags of every suite that asks a recommender. */
export interface AskingOptions extends ReportOptions {
  /** By default the suite's k, or 3. */
  readonly k?: number;
  readonly target?: string;
  readonly targetToken?: string;
  readonly resetTarget?: true;
  readonly targetTimeout: number;
  readonly filter?: FilterMode;
  readonly mode?: Mode;
  readonly diversity?: number;
  readonly oneStage?: true;
  readonly fresh?: true;
  readonly jobs: number;
  readonly limit?: number;
  readonly targetUrl: string;
  readonly targetApi: ModelApi;
  readonly prompts?: string;
  readonly withCells: number;
  readonly maxTokens?: number;
  readonly maxContext?: number;
  readonly modelSettings?: Readonly<Record<string, unknown>>;
  readonly priceIn?: number;
  readonly priceOut?: number;
  readonly dryRun?: true;
}

/** The options of a run, with `k` set. */
export type SettledOptions = AskingOptions & { readonly k: number };

/** A minimum for a figure: `precision@3=0.9`. */
export interface Threshold {
  readonly metric: string;
  readonly min: number;
}

export function addAskingOptions(command: Command): Command {
  return addModelOptions(command)
    .option("-k, --k <number>", "number of cells to request (default: 3)", parseInteger(1, 100))
    .option(
      "--target <target>",
      "the system to measure: baseline:NAME, openai:MODEL, a URL, or a target file; default: this recommender",
    )
    .option("--target-token <token>", "token of the server given by --target")
    .option("--reset-target", "empty the target first; also needed to resume after an interruption")
    .option("--target-timeout <seconds>", "time limit for one request", parseInteger(1, 3_600), 30)
    .option("--filter <mode>", "label filter: strict, soft or off", parseChoice(FILTERS))
    .option("--mode <mode>", "auto, similar, complete or next; default depends on the suite", parseChoice(MODES))
    .addOption(diversityOption("best for the mode; 0 in `eval celrec`"))
    .option("--one-stage", "rank by cosine alone, without the second stage")
    .option("--jobs <number>", "number of concurrent requests", parseInteger(1, 64), 1)
    .option("--limit <number>", "maximum number of cases (seeds), evenly spread", parseInteger(1, 1_000_000))
    .option("--fresh", "start again instead of resuming an interrupted run");
}

const MODEL_FLAGS = "Language models (--target openai:MODEL):";

function addModelOptions(command: Command): Command {
  const add = (flags: string, description: string, parse?: (text: string) => unknown, fallback?: unknown) => {
    const option = new Option(flags, description).helpGroup(MODEL_FLAGS);
    if (parse !== undefined) option.argParser(parse);
    if (fallback !== undefined) option.default(fallback);
    command.addOption(option);
  };
  add("--target-url <url>", "address of a server with the OpenAI API", undefined, OPENAI_URL);
  add("--target-api <api>", "chat or completions", parseChoice(MODEL_APIS), "chat");
  add("--prompts <folder>", "folder of your own prompts (SUITE.txt); default: the prompts of this package");
  add("--with-cells <number>", "number of retrieved cells in the prompt", parseInteger(0, 100), 0);
  add(
    "--max-tokens <number>",
    "maximum tokens of an answer; default: 512, or 64 for text at a cursor",
    parseInteger(1, 1_000_000),
  );
  add(
    "--max-context <number>",
    "maximum characters of the cells above in a prompt; default: 24000",
    parseInteger(1, 100_000_000),
  );
  add("--model-settings <json>", "additional fields of the request; a field that is null is left out", parseSettings);
  add("--price-in <amount>", "price of a million input tokens", parsePrice);
  add("--price-out <amount>", "price of a million output tokens", parsePrice);
  add("--dry-run", "print the first prompt and send no request");
  return command;
}

function parseSettings(text: string): Record<string, unknown> {
  try {
    const settings = asRecord(JSON.parse(text));
    if (settings !== null) return settings;
  } catch {
    // The message below also covers invalid JSON.
  }
  throw new InvalidArgumentError(`It must be a JSON object, such as '{"top_p": 1}'.`);
}

function parsePrice(text: string): number {
  if (!/^\d*\.?\d+$/.test(text)) throw new InvalidArgumentError("It must be an amount, such as 0.15.");
  return Number(text);
}

export function addReportOptions(command: Command, reports: readonly Report[]): Command {
  const formats = reports.map(({ extensions }) => extensions[0]).join(" ");
  return command
    .option("--report <file>", `write a report: ${formats}; may be repeated`, collect, [])
    .option("--fail-under <metric=value>", "exit with 5 if a figure is lower; may be repeated", collectThresholds, []);
}

function collectThresholds(text: string, previous: readonly Threshold[]): Threshold[] {
  const [, metric, value] = /^([a-z][a-z0-9-]*(?:@\d+)?)=(\d*\.?\d+)$/.exec(text) ?? [];
  if (metric === undefined) throw new InvalidArgumentError("It must look like precision@3=0.9.");
  return [...previous, { metric, min: Number(value) }];
}

/** A suite's flag as an option of commander. */
export function toOption({ flags, description, value, required, fallback, fallbackName }: SuiteOption): Option {
  const option = new Option(flags, value === "list" ? `${description}; may be repeated` : description);
  if (required) option.makeOptionMandatory();
  if (fallback !== undefined) option.default(fallback, fallbackName);
  if (value === "list") option.argParser(collect);
  if (typeof value === "object") option.argParser(parseInteger(value.min, value.max));
  return option;
}
