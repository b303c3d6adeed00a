import { resolve } from "node:path";
import { TargetFault } from "../../target.js";
import {
  type CommandReply,
  type Exchange,
  type ExchangeReply,
  excerpt,
  parseAnswer,
  type Redact,
  runCommand,
  toFault,
} from "./exchange.js";
import { renderRequest, renderText, type Values } from "./placeholders.js";
import { type CommandStep, type HttpStep, isCommand, pick, type Step } from "./target-schema.js";

export interface StepDeps {
  readonly exchange: Exchange;
  readonly redact: Redact;
  /** What paths are below. */
  readonly url: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

export interface StepsOutcome {
  /** What the last step answered, as text. */
  readonly text: string;
  /** Its name, for messages. */
  readonly label: string;
  /** What the values are after what the steps have saved. */
  readonly values: Values;
  /** Milliseconds of all steps. */
  readonly ms: number;
}

/** Runs the steps one after the other; the first that fails throws a TargetFault. */
export async function runSteps(
  steps: readonly Step[],
  at: string,
  values: Values,
  deps: StepDeps,
): Promise<StepsOutcome> {
  const known = new Map(values);
  let outcome: StepsOutcome = { text: "", label: at, values: known, ms: 0 };
  for (const [index, step] of steps.entries()) {
    const label = `${at}.steps[${index}] (${describe(step)})`;
    const { text, ms } = await runStep(step, label, known, deps);
    save(step, label, text, known, deps.redact);
    outcome = { text, label, values: known, ms: outcome.ms + ms };
  }
  return outcome;
}

export async function runStep(step: Step, label: string, values: Values, deps: StepDeps) {
  return isCommand(step) ? runCommandStep(step, label, values, deps) : runHttpStep(step, label, values, deps);
}

/** What `launch` needs of a step or of `start`. */
export function renderCommand(
  { command, shell, cwd = ".", env = {} }: Pick<CommandStep, "command" | "shell" | "cwd" | "env">,
  values: Values,
  deps: Pick<StepDeps, "folder" | "env">,
) {
  const own = Object.entries(env).map(([name, text]) => [name, renderText(text, values)]);
  return {
    command: shell ?? command!.map((text) => renderText(text, values)),
    cwd: resolve(deps.folder, renderText(cwd, values)),
    env: { ...deps.env, ...Object.fromEntries(own) } as StepDeps["env"],
  };
}

/** A step by its template, because what is filled in may be secret. */
export function describe(step: Pick<HttpStep, "method" | "path" | "url"> | CommandStep): string {
  if (isCommand(step)) return excerpt(step.shell ?? step.command!.join(" "));
  return `${step.method} ${step.path ?? step.url}`;
}

async function runHttpStep(step: HttpStep, label: string, values: Values, deps: StepDeps): Promise<ExchangeReply> {
  const request = renderRequest(step, values, deps.url);
  const reply = await deps.exchange({ ...request, timeoutMs: toMs(step, deps), label });
  const isFine = step.expect?.includes(reply.status) ?? (reply.status >= 200 && reply.status < 300);
  if (!isFine) throw toFault(label, reply, deps.redact);
  return reply;
}

async function runCommandStep(step: CommandStep, label: string, values: Values, deps: StepDeps): Promise<CommandReply> {
  const request = {
    ...renderCommand(step, values, deps),
    stdin: renderText(step.stdin ?? "", values),
    timeoutMs: toMs(step, deps),
    label,
  };
  const reply = await runCommand(request, deps.redact);
  if ((step.expect ?? [0]).includes(reply.status)) return reply;
  const said = excerpt(deps.redact(reply.errors || reply.text).slice(-300));
  throw new TargetFault(
    "errorsOther",
    `${label} ended with exit code ${reply.status}${said === "" ? "" : `: ${said}`}`,
  );
}

function save({ save = {} }: Step, label: string, text: string, known: Map<string, unknown>, redact: Redact): void {
  const entries = Object.entries(save);
  if (entries.length === 0) return;
  const answer = parseAnswer(label, text, redact);
  for (const [name, path] of entries) {
    const found = pick(answer, path);
    if (found.length === 0) throw new TargetFault("junk", `${label} did not return the value at save.${name}`);
    known.set(`saved.${name}`, path.includes(null) ? found : found[0]);
  }
}

function toMs({ timeout }: { timeout?: number | undefined }, { timeoutMs }: StepDeps): number {
  return timeout === undefined ? timeoutMs : timeout * 1_000;
}
