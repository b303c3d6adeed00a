import { z } from "zod";
import { fields, path, request, startCommand, steps } from "./step.js";

/** A target file. `docs/guide/targets.md` says what each field means. */
export const targetSchema = fields({
  name: z.string("must be a text, in quotes").min(1, "must not be empty").optional(),
  url: z.string("must be a text, in quotes").optional(),
  timeout: z.number("must be a number of seconds").positive("must be more than 0").max(3_600).optional(),
  start: startCommand.optional(),
  ready: request.optional(),
  prepare: fields({ steps }).optional(),
  count: fields({ steps, value: path }).optional(),
  reset: fields({ steps }).optional(),
  upload: fields({
    each: z.enum(["notebook", "cell", "batch"], "must be one of notebook, cell, batch").default("notebook"),
    steps,
  }).optional(),
  recommend: fields({
    steps,
    hits: path.optional(),
    code: path.optional(),
    adapted: path.optional(),
    insert: path.optional(),
    score: path.optional(),
    confidence: path.optional(),
  }),
})
  .refine(
    ({ upload, start, count, reset }) =>
      upload === undefined || [start, count, reset].some((part) => part !== undefined),
    "must have start, count or reset: a run needs an empty target",
  )
  .refine(({ upload, recommend }) => upload === undefined || recommend.hits !== undefined, {
    path: ["recommend", "hits"],
    message: "must be a path such as hits[*].code; only a target without upload may answer with bare code",
  });

export type TargetFile = z.output<typeof targetSchema>;
export type Section = "prepare" | "count" | "reset" | "upload" | "recommend";
export const SECTIONS = ["prepare", "count", "reset", "upload", "recommend"] as const satisfies readonly Section[];
