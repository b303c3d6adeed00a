// Run as a thread by the tests of the pool: it cannot open what it needs.
import { RecommenderError } from "../../dist/src/errors.js";
import { serveThread } from "../../dist/src/threads/serve-thread.js";

await serveThread(async () => {
  throw new RecommenderError("MODEL_UNAVAILABLE", "there is no model");
});
