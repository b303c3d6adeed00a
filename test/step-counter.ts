import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";

// V8 counts no blocks in optimised code.
setFlagsFromString("--no-opt");
setFlagsFromString("--no-maglev");

/** Counts how often the blocks of our source are run by a piece of work: its cost, the same on every machine. */
export async function createStepCounter() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return async (work: () => unknown): Promise<number> => {
    await session.post("Profiler.takePreciseCoverage");
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const functions = result.filter(({ url }) => url.includes("/src/")).flatMap((script) => script.functions);
    return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
  };
}
