// The child of embedded-crash.test.ts: writes without end, and prints the number of each step when it is acknowledged.
import { createEmbeddedStore } from "../../dist/src/store/embedded.js";
import { applyStep, IDENTITY, LIMITS } from "./embedded-crash-steps.js";

const [folder, first] = process.argv.slice(2);
const writer = { pid: process.pid, activity: "the crash test" };
const store = createEmbeddedStore({
  folder,
  identity: IDENTITY,
  writer,
  hold: "session",
  exactBelow: 30,
  limits: LIMITS,
});
for (let step = Number(first); ; step += 1) {
  await applyStep(store, step);
  process.stdout.write(`${step}\n`);
  await new Promise(setImmediate);
}
