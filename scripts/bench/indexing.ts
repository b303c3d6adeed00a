import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Row } from "./table.js";

/** The figures of a child process. Each part has its own process for measuring its memory. */
export interface IndexingFigures {
  readonly seconds: number;
  readonly cells: number;
  readonly peakMegabytes: number;
  /** Seconds of a second run over the same files. */
  readonly again?: number;
  readonly stages?: Readonly<Record<string, number>>;
}

/**
 * Measures indexing of the real notebooks. Compares it with reading and parsing the files, and with adding the vectors
 * to a bare usearch index.
 */
export async function benchIndexing(): Promise<Row[]> {
  const group = "indexing, default embedder, embedded store";
  const floor = await runChild("floor");
  const ours = await runChild("index");
  const stages = Object.entries(ours.stages ?? {}).map(
    ([stage, seconds]): Row => ({ group, name: `${stage}`, value: ours.cells / seconds, unit: "cells/s" }),
  );
  return [
    { group, name: "floor: read, parse, bare usearch", value: floor.seconds, unit: "s" },
    { group, name: "celrec index", value: ours.seconds, unit: "s" },
    ...stages,
    { group, name: "all stages", value: ours.cells / ours.seconds, unit: "cells/s" },
    { group, name: "celrec / floor", value: ours.seconds / floor.seconds, unit: "x", limit: { atMost: 1.2 } },
    { group, name: "the same again, unchanged", value: ours.again!, unit: "s" },
    {
      group,
      name: "an unchanged notebook / a new one",
      value: ours.again! / ours.seconds,
      unit: "x",
      limit: { atMost: 0.05 },
    },
    { group, name: "peak memory", value: ours.peakMegabytes, unit: "MB", limit: { atMost: 700 } },
  ];
}

function runChild(part: string): Promise<IndexingFigures> {
  const script = fileURLToPath(new URL("indexing-child.js", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = fork(script, [part]);
    let figures: IndexingFigures | undefined;
    child.on("message", (message) => {
      figures = message as IndexingFigures;
    });
    child.on("exit", (code) => (figures ? resolve(figures) : reject(new Error(`${part} ended with ${code}`))));
  });
}
