import { describe, expect, it } from "vitest";
import { extendStart, joinLayers, NO_START, readLayer } from "../../src/complete/notebook-facts.js";
import { createScope } from "../../src/complete/roles.js";
import { appendCell, emptyStream } from "../../src/complete/stream.js";
import { readCell } from "../../src/complete/tokens.js";
import { createVocabulary } from "../../src/complete/vocabulary.js";

function streamOf(...cells: readonly string[]) {
  const stream = emptyStream();
  const scope = createScope(new Map());
  for (const code of cells) appendCell(stream, scope, readCell(code));
  return stream;
}

describe("facts of a notebook", () => {
  const vocabulary = createVocabulary();
  const above = readLayer(streamOf("x = 1", "x + y"), vocabulary);
  const typed = readLayer(streamOf("y = x"), vocabulary, above.ids.concrete.at(-1));
  const facts = joinLayers(above, typed);
  const id = (text: string) => vocabulary.idOf(text);

  it("are the same if the notebook is read in two layers or in one", () => {
    const whole = joinLayers(
      readLayer(streamOf("x = 1", "x + y", "y = x"), vocabulary),
      readLayer(streamOf(), vocabulary),
    );
    expect([...facts.ids.concrete]).toEqual([...whole.ids.concrete]);
    for (const text of ["x", "y", "=", "1", "+", "\f", "z"]) {
      expect([text, facts.countOf(id(text)), facts.distanceOf(id(text))]).toEqual([
        text,
        whole.countOf(id(text)),
        whole.distanceOf(id(text)),
      ]);
      for (const other of ["x", "y", "=", "\f"])
        expect([text, other, facts.hasPair(id(text), id(other))]).toEqual([
          text,
          other,
          whole.hasPair(id(text), id(other)),
        ]);
    }
  });

  it("count tokens, and know how many tokens ago each was seen", () => {
    expect(facts.countOf(id("x"))).toBe(3);
    expect(facts.distanceOf(id("x"))).toBe(2);
    expect(facts.distanceOf(id("+"))).toBe(7);
    expect(facts.distanceOf(vocabulary.add("unseen"))).toBe(Infinity);
    expect(facts.hasPair(id("\f"), id("y"))).toBe(true);
    expect(facts.hasPair(id("y"), id("x"))).toBe(false);
  });

  it("know how many cells ago a statement started with given tokens", () => {
    const startOf = (...texts: string[]) => texts.reduce((start, text) => extendStart(start, id(text)), NO_START);
    expect(facts.startedAgo(startOf("y", "="))).toBe(0);
    expect(facts.startedAgo(startOf("x", "+"))).toBe(1);
    expect(facts.startedAgo(startOf("x", "="))).toBe(2);
    expect(facts.startedAgo(startOf("+", "y"))).toBe(Infinity);
  });

  it("know how many cells ago a token was", () => {
    expect([0, 4, 8].map(facts.cellsAgo)).toEqual([2, 1, 0]);
  });
});
