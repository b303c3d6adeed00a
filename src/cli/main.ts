#!/usr/bin/env node
import { createProgram } from "./program.js";

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());
process.exitCode = await createProgram(process.env, stop.signal)(process.argv.slice(2));
