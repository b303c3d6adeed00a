import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the program and the page once, before any test starts. Tests run the built program from several processes,
 * so nothing may write to `dist` while they do.
 */
export default function buildOnce(): void {
  try {
    execFileSync("npm", ["run", "build"], { cwd: ROOT, stdio: "pipe", encoding: "utf8" });
  } catch (error) {
    // The compiler writes the program despite type errors, so that one test can be run in the middle of a change.
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    console.warn(`npm run build failed:\n${stdout}${stderr}`);
    if (!existsSync(join(ROOT, "dist/src/cli/main.js"))) throw error;
  }
}
