import fc from "fast-check";
import { expect, it } from "vitest";
import { createScorer, softmax } from "../../src/complete/rescore.js";

const INPUTS = 5;
const HIDDEN = 3;
const value = fc.double({ min: -2, max: 2, noNaN: true }).map(Math.fround);
const listOf = (length: number) => fc.array(value, { minLength: length, maxLength: length });

it("computes the scores of the network, also if candidates share inputs", () => {
  const net = fc.record({ first: listOf(INPUTS * HIDDEN), firstBias: listOf(HIDDEN), second: listOf(HIDDEN) });
  const row = fc.array(fc.oneof(fc.constant(0), value), { minLength: INPUTS, maxLength: INPUTS });
  fc.assert(
    fc.property(net, fc.array(row, { minLength: 1, maxLength: 6 }), ({ first, firstBias, second }, rows) => {
      const score = createScorer({
        inputs: INPUTS,
        hidden: HIDDEN,
        first: Float32Array.from(first),
        firstBias: Float32Array.from(firstBias),
        second: Float32Array.from(second),
      });
      const scores = new Float64Array(rows.length);
      score(Float32Array.from(rows.flat()), rows.length, scores);
      for (const [at, inputs] of rows.entries()) {
        const units = firstBias.map((bias, unit) =>
          inputs.reduce((sum, input, index) => sum + input * first[unit * INPUTS + index]!, bias),
        );
        const expected = units.reduce((sum, unit, index) => sum + second[index]! * Math.tanh(unit), 0);
        expect(scores[at]).toBeCloseTo(expected, 9);
      }
    }),
  );
});

it("turns scores into probabilities", () => {
  const scores = Float64Array.of(Math.log(1), Math.log(3), 100);
  softmax(scores, 2);
  expect([scores[0], scores[1], scores[2]]).toEqual([expect.closeTo(0.25, 12), expect.closeTo(0.75, 12), 100]);
});
