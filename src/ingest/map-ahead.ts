/**
 * Maps a stream in its order, with up to `limit` items at work at once. The stream is asked for no more than that, so that a
 * slow consumer holds up everything before it.
 */
export async function* mapAhead<T, R>(
  stream: AsyncIterable<T>,
  limit: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const items = stream[Symbol.asyncIterator]();
  const working: Promise<R>[] = [];
  try {
    let ended = false;
    while (!ended || working.length > 0) {
      if (ended || working.length >= limit) {
        yield await working.shift()!;
        continue;
      }
      const next = await items.next();
      ended = next.done === true;
      if (next.done) continue;
      const work = map(next.value);
      // Its failure is thrown when it is shifted off the queue; until then it must not count as unhandled.
      work.catch(() => {});
      working.push(work);
    }
  } finally {
    await items.return?.();
  }
}

/** Groups a stream; a group ends before the item that would make it heavier than `most`. */
export async function* groupBy<T>(
  stream: AsyncIterable<T>,
  { most, count }: { readonly most: number; readonly count: number },
  weigh: (item: T) => number,
): AsyncGenerator<T[]> {
  let group: T[] = [];
  let weight = 0;
  for await (const item of stream) {
    const heavier = weight + weigh(item);
    if (group.length > 0 && heavier > most) {
      yield group;
      [group, weight] = [[], 0];
    }
    group.push(item);
    weight += weigh(item);
    if (group.length < count) continue;
    yield group;
    [group, weight] = [[], 0];
  }
  if (group.length > 0) yield group;
}

/** The items of a stream of lists. */
export async function* flatten<T>(stream: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const items of stream) yield* items;
}
