// Run as a thread by the tests of the pool.
import { workerData } from "node:worker_threads";
import { RecommenderError } from "../../../dist/src/errors.js";
import { serveThread } from "../../../dist/src/threads/serve-thread.js";

if (workerData === "broken") throw new Error("cannot start");
const hog = [];
const handlers = {
  double: (value) => value * 2,
  die: () => process.exit(3),
  hog: () => {
    for (;;) hog.push(Array.from({ length: 10_000 }, (_, at) => ({ at })));
  },
  hang: () => {
    for (;;);
  },
  refuse: (message) => {
    throw new RecommenderError("NOT_FOUND", message);
  },
  fail: () => {
    throw new TypeError("a bug");
  },
};
await serveThread(() => ({ handlers }), { isSequential: true });
