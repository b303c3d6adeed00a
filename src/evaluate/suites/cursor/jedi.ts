import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import { assetPath } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";

/** jedi behind a driver of ours: completes Python without a model. */
export interface Jedi {
  readonly version: string;
  /** Texts to insert at the end of the code; none where it knows nothing. */
  complete(code: string, k: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

const lineSchema = z.union([z.object({ ready: z.string() }), z.object({ id: z.int(), texts: z.array(z.string()) })]);

/** Starts the driver; TARGET_FAILED with the reason where this Python has no jedi. */
export async function openJedi(python: string, searchPath = "/usr/local/bin:/usr/bin:/bin"): Promise<Jedi> {
  const driver = spawn(python, [assetPath("scripts/jedi-driver.py")], {
    stdio: "pipe",
    env: { PATH: searchPath, LANG: "C.UTF-8" },
  });
  const waiting = new Map<number, { done(texts: readonly string[]): void; fail(error: Error): void }>();
  let said = "";
  let ended: Error | null = null;
  driver.stderr.on("data", (text: Buffer) => {
    said = `${said}${text}`.slice(-2_000);
  });
  // A driver that ended has nobody to write to.
  driver.stdin.on("error", () => {});
  const version = await new Promise<string>((ready, fail) => {
    const end = (why: string) => {
      ended = new RecommenderError(
        "TARGET_FAILED",
        `${python} runs no jedi: ${why}. Install it with: pip install jedi, and name that Python with --python.`,
      );
      fail(ended);
      for (const each of waiting.values()) each.fail(ended);
    };
    driver.on("error", (error) => end(error.message));
    driver.on("exit", () => end(said.trim().split("\n").at(-1) || "it ended"));
    createInterface(driver.stdout).on("line", (text) => {
      const line = lineSchema.parse(JSON.parse(text));
      if ("ready" in line) return ready(line.ready);
      waiting.get(line.id)?.done(line.texts);
      waiting.delete(line.id);
    });
  });
  let last = 0;
  return {
    version,
    complete: (code, k) =>
      new Promise((done, fail) => {
        if (ended !== null) return fail(ended);
        last += 1;
        waiting.set(last, { done, fail });
        driver.stdin.write(`${JSON.stringify({ id: last, code, k })}\n`);
      }),
    close: () =>
      new Promise((done) => {
        if (driver.exitCode !== null || driver.signalCode !== null) return done();
        driver.once("exit", () => done());
        driver.stdin.end();
      }),
  };
}
