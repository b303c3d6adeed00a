import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mutators, paperMutators } from "../../mutators/index.js";
import type { Mutator } from "../../src/evaluate/suite.js";
import { cases } from "./cases.js";

const files = readdirSync("mutators").filter((file) => file.endsWith(".ts") && file !== "index.ts");

describe("the folder of operators", () => {
  it("is listed as a whole, each file under its own name", async () => {
    for (const name of files.map((file) => file.replace(".ts", ""))) {
      const path = `../../mutators/${name}.js`;
      const { default: mutator } = (await import(/* @vite-ignore */ path)) as { default: Mutator };
      expect(mutator.name).toBe(name);
      expect(mutators.filter((listed) => listed === mutator)).toHaveLength(1);
    }
    expect(mutators).toHaveLength(files.length);
  });

  it("has the paper's three operators and at least fourteen more, of all three kinds", () => {
    expect(paperMutators.map(({ name }) => name)).toEqual(["rename-variables", "insert-comments", "reverse-lines"]);
    expect(mutators.length).toBeGreaterThanOrEqual(17);
    const kinds = new Set(mutators.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["degrading", "hard-negative", "preserving"]);
  });

  it("has for every operator code that it changes, code that it does not change, and a line in docs/reference/mutators.md", () => {
    const docs = readFileSync("docs/reference/mutators.md", "utf8");
    expect(Object.keys(cases).sort()).toEqual(mutators.map(({ name }) => name).sort());
    for (const { name, kind } of mutators) {
      expect(cases[name]!.some(([code, expected]) => code !== expected)).toBe(true);
      expect(cases[name]!.some(([code, expected]) => code === expected)).toBe(true);
      expect(docs).toContain(`| \`${name}\` | ${kind} |`);
    }
  });
});

describe.each(mutators)("$name", ({ name, apply }) => {
  it.each(cases[name]!)("turns %j into %j", (code, expected) => {
    expect(apply(code)).toBe(expected);
  });
});
