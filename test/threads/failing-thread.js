// The tests of the pool run this as a thread. The thread fails while opening.
import { RecommenderError } from "../../dist/src/errors.js";
import { serveThread } from "../../dist/src/threads/serve-thread.js";

await serveThread(async () => {
  throw new RecommenderError("MODEL_UNAVAILABLE", "there is no model");
});
