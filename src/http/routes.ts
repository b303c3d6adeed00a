import type { Route } from "./route.js";
import { agentRoutes } from "./routes/agents.js";
import { healthRoutes } from "./routes/health.js";
import { indexRoutes } from "./routes/index-contents.js";
import { labelRoutes } from "./routes/labels.js";
import { notebookRoutes } from "./routes/notebooks.js";
import { feedbackRoutes, recommendationRoutes } from "./routes/recommendations.js";

/** All routes of the REST service. */
export const ROUTES: readonly Route[] = [
  ...recommendationRoutes,
  ...feedbackRoutes,
  ...labelRoutes,
  ...notebookRoutes,
  ...indexRoutes,
  ...agentRoutes,
  ...healthRoutes,
];
