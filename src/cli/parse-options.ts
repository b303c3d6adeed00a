import { InvalidArgumentError, Option } from "commander";
import { LIMITS } from "../ask/limits.js";
import { notebookName } from "../ask/requests.js";

/** Parsers for the values of flags; commander prefixes messages with the flag. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
  };
}

export function parseShare(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number from 0 to 1.");
}

export function parseChoice<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${choices.join(", ")}.`);
  };
}

/** A name that the service accepts: not empty, and without control characters. */
export function parseName(text: string): string {
  if (notebookName.safeParse(text).success) return text;
  const max = LIMITS.nameCharacters.toLocaleString("en");
  throw new InvalidArgumentError(`It must have 1 to ${max} characters, none of them a control character.`);
}

/** Collects the values of a repeatable flag. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

export function diversityOption(fallback: string): Option {
  const text = `reward from 0 to 1 for hits that differ from the hits above them (default: ${fallback})`;
  return new Option("--diversity <number>", text).argParser(parseShare);
}
