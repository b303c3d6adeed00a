import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { mutators } from "../../mutators/index.js";
import { createRandom } from "../../src/evaluate/statistics/bootstrap.js";

/** Cells, each with the operators to apply, by their index in the list. */
export interface VariantTask {
  readonly cells: readonly string[];
  readonly chosen: readonly (readonly number[])[];
}

/** Maximum number of operators per variant; more produce unrealistic cells. */
const MAX_OPERATORS = 4;
/** After this many rounds without a new variant, generation stops. */
const FUTILE_ROUNDS = 3;
/** Cells per task of a thread. */
const BATCH = 250;

/**
 * Makes `count` distinct cells: the real cells, then variants of them by preserving operators, which makes neighbours
 * like those in a real corpus. Fewer if there are no more variants. Deterministic. Uses one thread per core, because
 * generation takes longer than indexing.
 */
export async function* makeVariants(real: readonly string[], count: number): AsyncGenerator<string> {
  const preserving = mutators.flatMap(({ kind }, at) => (kind === "preserving" ? at : []));
  const random = createRandom(13);
  const choose = () => preserving.filter(() => random() < MAX_OPERATORS / preserving.length);
  const made = new Set<string>();
  const isNew = (code: string) => {
    if (code.trim() === "" || made.size >= count || made.has(code)) return false;
    made.add(code);
    return true;
  };
  for (const code of real) if (isNew(code)) yield code;
  const threads = Array.from({ length: availableParallelism() }, startThread);
  try {
    for (let futile = 0; made.size < count && futile < FUTILE_ROUNDS; ) {
      const before = made.size;
      // One batch in flight per thread; results are used in the order of the cells.
      const underWay: Promise<readonly string[]>[] = [];
      for (let from = 0; made.size < count && (from < real.length || underWay.length > 0); from += BATCH) {
        const cells = real.slice(from, from + BATCH);
        if (cells.length > 0)
          underWay.push(threads[(from / BATCH) % threads.length]!({ cells, chosen: cells.map(choose) }));
        if (underWay.length < threads.length && from + BATCH < real.length) continue;
        for (const variant of await underWay.shift()!) if (isNew(variant)) yield variant;
      }
      await Promise.all(underWay);
      futile = made.size === before ? futile + 1 : 0;
    }
  } finally {
    for (const { stop } of threads) stop();
  }
}

/** A thread that makes variants, one task after another. */
function startThread() {
  const worker = new Worker(new URL("variants-worker.js", import.meta.url));
  let last: Promise<unknown> = Promise.resolve();
  const make = (task: VariantTask): Promise<readonly string[]> => {
    const answer = last.then(async () => {
      worker.postMessage(task);
      const [variants] = (await once(worker, "message")) as [readonly string[]];
      return variants;
    });
    last = answer;
    return answer;
  };
  return Object.assign(make, { stop: () => void worker.terminate() });
}
