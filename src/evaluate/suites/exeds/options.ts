import { assetPath } from "../../../config.js";
import type { SuiteOption } from "../../suite.js";
import { SECONDS } from "./execute.js";

export interface ExedsOptions {
  readonly cases: string;
  readonly notebooks?: readonly string[];
  readonly files?: string;
  readonly index: readonly string[];
  readonly python: string;
  readonly variables: boolean;
  readonly baselines: boolean;
  readonly execute: number;
  readonly seconds: number;
}

/** What it takes to execute notebooks. */
export type ExecuteOptions = Pick<ExedsOptions, "files" | "python" | "seconds">;

const FILES: SuiteOption = {
  flags: "--files <folder>",
  description: "a folder whose files these notebooks find in the folder that they run in, or in ../input",
  value: "text",
};
const PYTHON: SuiteOption = {
  flags: "--python <path>",
  description: "a Python with jupyter_client, ipykernel and what the problems import",
  value: "text",
  fallback: "python3",
};
const LIMIT: SuiteOption = {
  flags: "--seconds <number>",
  description: "how long one problem may take",
  value: { least: 1, most: 3_600 },
  fallback: SECONDS,
};

/** Of `celrec eval build exeds`. */
export const BUILD_OPTIONS: readonly SuiteOption[] = [FILES, PYTHON, LIMIT];

/** Of `celrec eval exeds`. */
export const EXEDS_OPTIONS: readonly SuiteOption[] = [
  {
    flags: "--cases <file>",
    description: "problems as JSON lines, ours or ExeDS's own, with their data in the folder data beside it",
    value: "text",
    fallback: assetPath("examples/exeds/problems.jsonl"),
    fallbackName: "68 problems of this project",
  },
  {
    flags: "--notebooks <paths...>",
    description: "make the problems from these notebooks instead: they are executed",
    value: "list",
  },
  FILES,
  { flags: "--index <paths...>", description: "notebooks to recommend from", value: "list", required: true },
  PYTHON,
  {
    flags: "--no-variables",
    description: "do not tell the target the variables of the running kernel, nor ask it both ways",
  },
  {
    flags: "--execute <number>",
    description: "how many of the results are executed; figures with best- take the best of them",
    value: { least: 1, most: 100 },
    fallback: 1,
  },
  LIMIT,
  { flags: "--no-baselines", description: "only the target: baselines take as long again, each" },
];
