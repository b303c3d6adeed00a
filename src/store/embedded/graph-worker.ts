import { parentPort, workerData } from "node:worker_threads";
import { buildPart, type GraphTask } from "./graph-build.js";

// Run by `build-graph.ts` in a thread of its own: building a graph takes minutes, and the service answers meanwhile.
buildPart(workerData as GraphTask, (rows) => parentPort!.postMessage(rows));
