import type { Route } from "./route.js";
import { agentRoutes } from "./routes/agents.js";
import { cellRoutes } from "./routes/cells.js";
import { feedbackRoutes } from "./routes/feedback.js";
import { healthRoutes } from "./routes/health.js";
import { labelRoutes } from "./routes/labels.js";
import { notebookRoutes } from "./routes/notebooks.js";
import { recommendationRoutes } from "./routes/recommendations.js";
import { sourceRoutes } from "./routes/sources.js";
import { wholeIndexRoutes } from "./routes/whole-index.js";

/** Everything that can be called. */
export const ROUTES: readonly Route[] = [
  ...recommendationRoutes,
  ...feedbackRoutes,
  ...labelRoutes,
  ...notebookRoutes,
  ...cellRoutes,
  ...sourceRoutes,
  ...wholeIndexRoutes,
  ...agentRoutes,
  ...healthRoutes,
];
