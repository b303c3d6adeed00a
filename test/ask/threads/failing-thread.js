// Run by the tests of createTeam.
import { serveCalls } from "../../../dist/src/ask/threads/serve-calls.js";
import { RecommenderError } from "../../../dist/src/errors.js";

await serveCalls(async () => {
  throw new RecommenderError("MODEL_UNAVAILABLE", "there is no model");
});
