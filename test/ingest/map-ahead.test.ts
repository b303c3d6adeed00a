import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { groupBy, mapAhead } from "../../src/ingest/ingest-corpus.js";

async function* count(to: number, onAsked: (value: number) => void = () => {}) {
  for (let value = 0; value < to; value += 1) {
    onAsked(value);
    yield value;
  }
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

describe("mapAhead", () => {
  it("keeps the order, regardless of which item is ready first", async () => {
    const slowFirst = mapAhead(count(6), 3, async (value) => {
      await sleep(10 - value);
      return value * 2;
    });
    expect(await collect(slowFirst)).toEqual([0, 2, 4, 6, 8, 10]);
  });

  it("works on at most `limit` items, and requests no more", async () => {
    const asked: number[] = [];
    let working = 0;
    let max = 0;
    const mapped = mapAhead(
      count(9, (value) => asked.push(value)),
      3,
      async (value) => {
        working += 1;
        max = Math.max(max, working);
        await sleep(1);
        working -= 1;
        return value;
      },
    );
    expect((await mapped.next()).value).toBe(0);
    await vi.waitFor(() => expect(working).toBe(0), { timeout: 20_000 });
    expect(asked).toEqual([0, 1, 2]);
    expect((await collect(mapped)).length).toBe(8);
    expect(max).toBe(3);
  });

  it("throws a failure at its position, and closes the stream", async () => {
    let closed = false;
    const stream = async function* () {
      try {
        yield* count(9);
      } finally {
        closed = true;
      }
    };
    const mapped = mapAhead(stream(), 4, async (value) => {
      if (value === 2) throw new Error("two");
      return value;
    });
    expect([(await mapped.next()).value, (await mapped.next()).value]).toEqual([0, 1]);
    await expect(mapped.next()).rejects.toThrow("two");
    expect(closed).toBe(true);
  });
});

describe("groupBy", () => {
  it.each<[string, number[], number[][]]>([
    ["nothing", [], []],
    ["what fits together", [1, 2, 3], [[1, 2, 3]]],
    [
      "items until the next one would be too heavy",
      [4, 3, 2, 9, 1],
      [
        [4, 3, 2],
        [9, 1],
      ],
    ],
    ["one item that alone is too heavy", [20, 1], [[20], [1]]],
    ["at most the maximum number of items", [0, 0, 0, 0, 0, 0, 0], [[0, 0, 0], [0, 0, 0], [0]]],
  ])("makes groups of %s", async (_, values, groups) => {
    const stream = async function* () {
      yield* values;
    };
    const limits = values.every((value) => value === 0) ? { max: 10, count: 3 } : { max: 10, count: 99 };
    expect(await collect(groupBy(stream(), limits, (value) => value))).toEqual(groups);
  });
});
