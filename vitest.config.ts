import { defineConfig } from "vitest/config";

/** In CI two servers, kernels and a browser share the machine with the tests, which may be a slow one. */
const isShared = Boolean(process.env.CI);

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: isShared ? 180_000 : 60_000,
    hookTimeout: isShared ? 240_000 : 120_000,
    maxWorkers: isShared ? 2 : 3,
    // Nothing here leaves state behind in its modules, and loading them anew for each file took a third of the time.
    isolate: false,
  },
});
