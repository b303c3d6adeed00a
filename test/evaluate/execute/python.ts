import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { requires } from "../../require.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The Python of the tests. */
export const python = process.env.CELREC_TEST_PYTHON ?? join(root, ".venv-test/bin/python");

/** Whether this Python can start Jupyter kernels and has the packages that the tested problems use. */
export const hasKernels = requires(
  "python",
  canImport("jupyter_client, ipykernel, pandas, scipy, sklearn"),
  "python3 -m venv .venv-test && .venv-test/bin/pip install -r test/requirements.txt (or set CELREC_TEST_PYTHON)",
);

function canImport(modules: string): boolean {
  if (!existsSync(python)) return false;
  try {
    execFileSync(python, ["-c", `import ${modules}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
