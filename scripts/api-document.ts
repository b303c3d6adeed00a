// Run after a change of the routes or their schemas: writes docs/openapi.json, which a test compares with what is served.
import { writeFileSync } from "node:fs";
import { packageVersion } from "../src/config.js";
import { createApiDocument } from "../src/http/openapi.js";
import { ROUTES } from "../src/http/routes.js";
import { LABELS } from "../src/label/labeller.js";

writeFileSync(
  "docs/openapi.json",
  `${JSON.stringify(createApiDocument(ROUTES, { version: packageVersion(), labels: LABELS }), null, 2)}\n`,
);
