import { Command, InvalidArgumentError } from "commander";
import { type Ablation, ablationFigures, ablationTables, describeBoard } from "../../../evaluate/board-report.js";
import { tableLines } from "../../../evaluate/reports/text.js";
import type { SuiteDocument } from "../../../evaluate/result-document.js";
import type { Suite, SuiteOption } from "../../../evaluate/suite.js";
import { SUITES, suiteOf } from "../../../evaluate/suites/index.js";
import type { Context, Run } from "../../context.js";
import { collect } from "../../parse-options.js";
import { BOARD_FORMATS, checkBoardPaths, writeBoards } from "./compare.js";
import { INTERRUPTED, measure } from "./evaluate.js";
import { type AskingOptions, addAskingOptions, toOption } from "./options.js";

type AskingSuite = Extract<Suite, { asks: object }>;

/** `celrec eval ablation SUITE`, for suites that name flags to vary. */
export function ablationCommand(run: Run): Command {
  const command = new Command("ablation").description(
    "run a suite with several values of a flag, and write one report",
  );
  for (const suite of SUITES as readonly Suite[]) {
    if (suite.asks === null || suite.ablation === undefined) continue;
    const varied = suite.ablation;
    const sub = command.command(suite.name).description(`${suite.description}; one run per value`);
    for (const option of suite.options) {
      const values = varied[nameOf(option)];
      if (values === undefined) sub.addOption(toOption(option));
      else sub.option(`--${nameOf(option)} <numbers>`, `${option.description}; one run each`, parseNumbers, values);
    }
    addAskingOptions(sub)
      .option("--report <file>", `write a report: ${BOARD_FORMATS}; may be repeated`, collect, [])
      .action(run((context, options: never) => ablate(suite, context, options)));
  }
  return command;
}

const nameOf = ({ flags }: SuiteOption): string => /--([a-z-]+)/.exec(flags)![1]!;
const keyOf = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function parseNumbers(text: string): number[] {
  const numbers = text.split(",").map(Number);
  if (numbers.every((value) => Number.isInteger(value) && value >= 1)) return numbers.sort((a, b) => a - b);
  throw new InvalidArgumentError("It must be a list of whole numbers, such as 1,2,3.");
}

async function ablate(suite: AskingSuite, context: Context, options: AskingOptions): Promise<number> {
  const { output } = context;
  await checkBoardPaths(options.report);
  const flags = Object.keys(suite.ablation!);
  const fallbacks = Object.fromEntries(
    flags.map((flag) => [keyOf(flag), suite.options.find((option) => nameOf(option) === flag)?.fallback]),
  );
  const ablations: Ablation[] = [];
  for (const flag of flags) {
    const values = (options as unknown as Record<string, readonly number[]>)[keyOf(flag)]!;
    const runs: { value: number; document: SuiteDocument }[] = [];
    for (const value of values) {
      output.note(`${flag} ${value}`);
      const document = await measure(suite, context, { ...options, ...fallbacks, [keyOf(flag)]: value, failUnder: [] });
      if (document === null) return INTERRUPTED;
      const { examples } = document.config;
      const isWhole = flag === "train-size" && typeof examples === "number" && examples < value;
      runs.push({ value: isWhole ? examples : value, document });
      // Larger sizes would repeat the same run.
      if (isWhole) break;
    }
    const { decisive } = suiteOf(suite.name).pair(runs[0]!.document, runs[0]!.document);
    ablations.push({ flag, decisive, runs });
  }
  const tables = ablationTables(ablations, suite.metrics(options));
  await writeBoards(
    options.report,
    describeBoard(`Ablation of celrec eval ${suite.name}`, tables, ablationFigures(ablations)),
  );
  output.document({ suite: suite.name, ablations: ablations.map(toJson) });
  for (const table of tables) {
    for (const line of tableLines(table, output)) output.line(line);
    output.line();
  }
  for (const path of options.report) output.line(`wrote ${path}`);
  return 0;
}

function toJson({ flag, decisive, runs }: Ablation) {
  return {
    flag,
    decisive,
    runs: runs.map(({ value, document }) => ({
      value,
      counts: document.counts,
      metrics: suiteOf(document.suite).figures(document),
      ci95: document.ci95,
    })),
  };
}
