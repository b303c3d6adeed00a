import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import { assetPath } from "../../config.js";
import { RecommenderError } from "../../errors.js";

/** A running Python script of celrec. It writes `{ready}`, then one JSON line per request, with the request's `id`. */
interface PythonDriver<Ready, Answer> {
  readonly ready: Ready;
  call(request: object): Promise<Answer>;
  close(): Promise<void>;
}

interface DriverOptions<Ready, Answer extends object> {
  readonly python: string;
  /** The PATH on which a bare `python` is looked up. */
  readonly searchPath?: string | undefined;
  /** Path of the script below `scripts/`. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly ready: z.ZodType<Ready>;
  readonly answer: z.ZodObject<z.ZodRawShape> & z.ZodType<Answer>;
  /** Requirements of the script, for the error message. */
  readonly needs: { readonly name: string; readonly packages: string };
}

/** Starts the script; TARGET_FAILED with the reason if it cannot run. A script that ends rejects all open calls. */
export async function startPythonDriver<Ready, Answer extends object>({
  python,
  searchPath = "/usr/local/bin:/usr/bin:/bin",
  script,
  args = [],
  ready: readySchema,
  answer: answerSchema,
  needs,
}: DriverOptions<Ready, Answer>): Promise<PythonDriver<Ready, Answer>> {
  const lineSchema = z.union([
    z.object({ ready: readySchema }),
    z.object({ id: z.int(), fault: z.string() }),
    z.intersection(z.object({ id: z.int() }), answerSchema),
  ]);
  const fail = (reason: string) =>
    new RecommenderError(
      "TARGET_FAILED",
      `${python} cannot run ${needs.name}: ${reason}. Install it with: pip install ${needs.packages}, and select that Python with --python.`,
    );
  // The driver gets a minimal environment, because cells can read it.
  const env = { PATH: searchPath, LANG: "C.UTF-8" };
  const driver = spawn(python, [assetPath(`scripts/${script}`), ...args], { stdio: "pipe", env });
  const open = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let stderr = "";
  let ended: Error | null = null;
  driver.stderr.on("data", (text: Buffer) => {
    stderr = `${stderr}${text}`.slice(-2_000);
  });
  // Writing to a driver that has ended fails; `exit` reports that.
  driver.stdin.on("error", () => {});
  const ready = await new Promise<Ready>((resolve, reject) => {
    const end = (reason: string) => {
      ended = fail(reason);
      reject(ended);
      for (const call of open.values()) call.reject(ended);
    };
    driver.on("error", (error) => end(error.message));
    driver.on("exit", () => end(stderr.trim().split("\n").at(-1) || "it ended"));
    createInterface(driver.stdout).on("line", (text) => {
      const line = lineSchema.parse(JSON.parse(text));
      if ("ready" in line) return resolve(line.ready as Ready);
      const call = open.get(line.id);
      open.delete(line.id);
      if ("fault" in line) call?.reject(fail(String(line.fault)));
      else call?.resolve(line as Answer);
    });
  });
  let last = 0;
  return {
    ready,
    call: (request) =>
      new Promise((resolve, reject) => {
        if (ended !== null) return reject(ended);
        last += 1;
        open.set(last, { resolve, reject });
        driver.stdin.write(`${JSON.stringify({ id: last, ...request })}\n`);
      }),
    close: () =>
      new Promise((resolve) => {
        if (driver.exitCode !== null || driver.signalCode !== null) return resolve();
        driver.once("exit", () => resolve());
        driver.stdin.end();
      }),
  };
}
