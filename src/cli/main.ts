#!/usr/bin/env node
import { setMaxListeners } from "node:events";
import { createProgram } from "./program.js";

/** Commands that use the signal shut down gracefully; Ctrl-C ends any other command at once. */
function catchSignals(): AbortSignal {
  const stop = new AbortController();
  // Every running call adds a listener; Node would warn from the eleventh on.
  setMaxListeners(0, stop.signal);
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

// A closed pipe (`| head`) is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
process.exitCode = await createProgram(process.env, catchSignals)(process.argv.slice(2));
