import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadGrammar, parses } from "../../../src/python/grammar.js";
import { isRenamable, nameRoles } from "../../../src/python/name-roles.js";
import { tokenize } from "../../../src/python/tokenize.js";
import { createHitAdapter } from "../../../src/recommend/answer/answer.js";

/** The code cells of the sample notebooks: written for this project, by several hands. */
const FOLDER = "examples/notebooks";
const cells = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ipynb") && existsSync(join(FOLDER, file)))
  .flatMap(
    (file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")).cells as { cell_type: string; source: string[] }[],
  )
  .filter(({ cell_type }) => cell_type === "code")
  .map(({ source }) => [source].flat().join(""))
  .filter((source) => source.trim() !== "");
const cell = fc.constantFrom(...cells);

beforeAll(loadGrammar);

/** The names of a cell that could be its author's variables. */
function ownNames(code: string): string[] {
  const tokens = tokenize(code);
  const roles = nameRoles(tokens);
  return [...new Set(tokens.filter((_, at) => isRenamable(roles[at])).map(({ text }) => text))];
}

function rename(code: string, names: ReadonlyMap<string, string>): string {
  const tokens = tokenize(code);
  const roles = nameRoles(tokens);
  let written = "";
  let done = 0;
  for (const [at, { text, start, end }] of tokens.entries()) {
    if (roles[at] !== "free" || !names.has(text)) continue;
    written += code.slice(done, start) + names.get(text)!;
    done = end;
  }
  return written + code.slice(done);
}

const check = (property: fc.IProperty<[string, string]> | fc.IProperty<[string, string, string]>) =>
  fc.assert(property as fc.IProperty<[string, string]>, { seed: 1, numRuns: 150 });

describe("answers on real cells", () => {
  it("adapt a cell that was renamed consistently back to the original", () => {
    for (const code of cells) {
      // The renamable names, found by adapting a copy in which every name has one more letter.
      const other = new Map(ownNames(code).map((name) => [name, `${name}q`]));
      const { renamed } = createHitAdapter(rename(code, other), {})(code).adapted;
      const mine = rename(code, new Map(Object.entries(renamed)));
      const { adapted } = createHitAdapter(code, {})(mine);
      expect(adapted.code).toBe(code);
    }
  });

  it("list all renamed names, and change nothing else", () => {
    check(
      fc.property(cell, cell, cell, (typed, before, hit) => {
        const { adapted } = createHitAdapter(typed, { before: [before] })(hit);
        expect(rename(hit, new Map(Object.entries(adapted.renamed)))).toBe(adapted.code);
        for (const from of Object.keys(adapted.renamed)) expect(ownNames(hit)).toContain(from);
      }),
    );
  });

  it("never merge two names, and take no name that the cell has", () => {
    check(
      fc.property(cell, cell, cell, (typed, before, hit) => {
        const { renamed } = createHitAdapter(typed, { before: [before] })(hit).adapted;
        const targets = Object.values(renamed);
        expect(new Set(targets).size).toBe(targets.length);
        const names = ownNames(hit).filter((name) => !(name in renamed));
        expect(targets.filter((name) => names.includes(name))).toEqual([]);
      }),
    );
  });

  it("keep valid code valid, and adapting twice changes nothing", () => {
    check(
      fc.property(cell, cell, cell, (typed, before, hit) => {
        const help = createHitAdapter(typed, { before: [before] });
        const { code } = help(hit).adapted;
        expect(parses(code)).toBe(parses(hit));
        expect(help(code).adapted).toMatchObject({ code, renamed: {} });
      }),
    );
  });

  it("insert what follows a prefix of the cell itself", () => {
    for (const code of cells) {
      const lines = code.split("\n");
      for (let cut = 1; cut < lines.length; cut += 1) {
        const typed = `${lines.slice(0, cut).join("\n")}\n`;
        const wanted = lines.slice(cut).join("\n").trim();
        const { insert, matched } = createHitAdapter(typed, {})(code);
        // A repeated line may be matched with its first occurrence; then less is inserted.
        expect(wanted.endsWith(insert.trim())).toBe(true);
        expect(matched.every(({ start, end }) => start < end && end <= lines.length)).toBe(true);
      }
    }
  });

  it("need no typed code", () => {
    check(
      fc.property(cell, cell, (before, hit) => {
        const { matched, insert } = createHitAdapter("", { before: [before] })(hit);
        expect([matched, insert.trim()]).toEqual([[], hit.replace(/^(?:[ \t]*\n)+/, "").trim()]);
      }),
    );
  });

  /** Cuts a cell at any place: the text before and after the cut. */
  const cut = cell.chain((code) => fc.nat(code.length).map((at) => [code.slice(0, at), code.slice(at)] as const));

  it("keep every finished token before the cursor, and continue the one at the cursor or leave it alone", () => {
    fc.assert(
      fc.property(cut, cell, cell, ([prefix], before, hit) => {
        const { insert, continuesLine, adapted } = createHitAdapter(prefix, { before: [before] })(hit);
        const typed = tokenize(prefix);
        const last = typed.at(-1);
        for (const text of [insert, adapted.insert]) {
          if (text === "" || last === undefined) continue;
          const whole = tokenize(prefix + (continuesLine ? "" : "\n") + text);
          const at = typed.length - 1;
          expect(whole.slice(0, at)).toEqual(typed.slice(0, at));
          expect(whole[at]!.text.slice(0, last.text.length)).toBe(last.text);
          const isOpen = last.kind === "operator" && "([{.=".includes(last.text) && last.end === prefix.length;
          if (isOpen) expect(continuesLine).toBe(true);
          if (last.text === "(" && text.startsWith(")")) expect(hit).toContain("()");
        }
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it("insert nothing that the rest of the line contains", () => {
    fc.assert(
      fc.property(cut, ([prefix, rest]) => {
        const line = rest.split("\n", 1)[0]!.trim();
        fc.pre(line.length > 3 && !line.includes("#"));
        const { insert } = createHitAdapter(prefix, { suffix: rest })(prefix + rest);
        expect(insert).not.toContain(line);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});
