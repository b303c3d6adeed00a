import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { requires } from "../require.js";
import { makeFolder, startService, upload } from "./service.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const python = process.env.CELREC_TEST_PYTHON ?? `${root}.venv-test/bin/python`;
const hasTool = requires(
  "python",
  canRun(),
  "python3 -m venv .venv-test && .venv-test/bin/pip install -r test/requirements.txt (or set CELREC_TEST_PYTHON)",
);
const MINUTES = 5;

it.skipIf(!hasTool)(
  "answers valid and invalid requests as the API document says",
  async () => {
    const service = await startService();
    await upload(service, "a.ipynb", ['df = pd.read_csv("a.csv")', "model.fit(X, y)"]);
    const words = [
      ["-m", "schemathesis.cli"],
      ["--config-file", `${root}test/http/schemathesis.toml`],
      ["run", `${service.url}/openapi.json`, "--url", service.url],
      ["--checks", "all", "--max-examples", "25", "--seed", "1", "--no-color"],
    ].flat();
    const { code, text } = await new Promise<{ code: number | null; text: string }>((resolve) => {
      const options = { cwd: makeFolder(), maxBuffer: 2 ** 26 };
      const child = execFile(python, words, options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, text: `${stdout}${stderr}` }),
      );
    });
    expect([code, code === 0 ? "" : text.slice(-6_000)]).toEqual([0, ""]);
    expect(service.logged).toEqual([]);
  },
  MINUTES * 60_000,
);

function canRun(): boolean {
  try {
    execFileSync(python, ["-c", "import schemathesis"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
