import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    // Nothing here leaves state behind in its modules, and loading them anew for each file took a third of the time.
    isolate: false,
    // Servers, kernels and a browser share the machine with the tests there: a second try tells a slow moment from a fault.
    retry: process.env.CI ? 1 : 0,
  },
});
