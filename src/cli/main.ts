#!/usr/bin/env node
import { createProgram } from "./program.js";

/** Only commands that ask for it stop in good order; the others end at once, as the system has it. */
function catchSignals(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

// A reader that went away (`| head`) is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
process.exitCode = await createProgram(process.env, catchSignals)(process.argv.slice(2));
