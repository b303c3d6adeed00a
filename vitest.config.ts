import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** In CI two servers, kernels and a browser share the machine with the tests, which may be a slow one. */
const isShared = Boolean(process.env.CI);

/** These count steps or bytes of the whole process, and one of them turns V8's optimiser off. */
const ALONE = ["test/growth.test.ts", "test/memory.test.ts"];

/** These need what is outside this program: servers, Python, JupyterLab, a package registry. They do not depend on the version of Node. */
const OUTSIDE = [
  "test/**/milvus*.test.ts",
  "test/**/milvus/**/*.test.ts",
  "test/clients/**/*.test.ts",
  "test/package/**/*.test.ts",
  "test/evaluate/execute/**/*.test.ts",
  "test/evaluate/suites/exeds/**/*.test.ts",
  "test/http/schemathesis.test.ts",
];

/** Tests of whole commands take longest. They start first, so that no worker waits for one of them at the end. */
class CommandsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isCommand = ({ moduleId }: TestSpecification) => /\/test\/(?:cli|docs)\//.test(moduleId);
    return [...sorted.filter(isCommand), ...sorted.filter((file) => !isCommand(file))];
  }
}

const each = {
  setupFiles: ["test/setup.ts"],
  testTimeout: isShared ? 180_000 : 60_000,
  hookTimeout: isShared ? 240_000 : 120_000,
  // The default of one second is too short for a busy machine.
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({
  test: {
    sequence: { sequencer: CommandsFirst },
    globalSetup: ["test/global-setup.ts"],
    maxWorkers: isShared ? 2 : 3,
    coverage: {
      include: ["src/**", "mutators/**"],
      reporter: ["text-summary", "html"],
      reportsDirectory: "reports/coverage",
    },
    projects: [
      // No test leaves state behind in its modules, and reloading them for each file took a third of the time.
      {
        test: {
          ...each,
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, ...OUTSIDE],
          isolate: false,
        },
      },
      { test: { ...each, name: "outside", include: OUTSIDE, isolate: false } },
      { test: { ...each, name: "alone", include: ALONE, isolate: true } },
    ],
  },
});
