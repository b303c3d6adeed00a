// Run by the tests of createTeam.
import { setTimeout as sleep } from "node:timers/promises";
import { serveCalls } from "../../../dist/src/ask/threads/serve-calls.js";

let calls = 0;
await serveCalls(async () => ({
  facts: { labels: [], embedder: "none" },
  calls: {
    sleep: (ms) => sleep(ms),
    count: () => {
      calls += 1;
      return calls;
    },
    die: () => process.exit(1),
    close: () => {},
  },
}));
