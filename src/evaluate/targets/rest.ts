import { z } from "zod";
import { RecommenderError } from "../../errors.js";
import type { NamedNotebook } from "../../notebook/notebook.js";
import { type RequestSettings, type Target, TargetFault } from "../target.js";
import { createExchange, createRedact, type ExchangeRequest, parseAnswer, toFault } from "./file/exchange.js";
import { readHits } from "./file/hits.js";
import { toIpynb } from "./file/placeholders.js";
import { parseBaseUrl } from "./file/target-server.js";

export interface RestTargetOptions {
  readonly url: string;
  readonly token?: string;
  /** Whether the server may be emptied. */
  readonly reset: boolean;
  readonly timeoutMs?: number;
  readonly request: RequestSettings;
}

/** The service accepts 25 MB at once, including the multipart overhead. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Cells per upload; small, so a server with a slow model answers in time. */
const MAX_CELLS = 250;
/** An upload embeds hundreds of cells, a question only one. */
const UPLOAD_TIMEOUT_FACTOR = 10;

const statsSchema = z.object({ cells: z.int().min(0) });
const uploadSchema = z.object({ rejected: z.array(z.object({ name: z.string(), reason: z.string() })) });
const answerSchema = z.object({
  recommendations: z.array(z.unknown()),
  took: z.record(z.string(), z.number()).catch({}),
});
const completionsSchema = z.object({
  completions: z.array(z.unknown()),
  took: z.record(z.string(), z.number()).catch({}),
});
const completionSchema = z.object({
  text: z.string(),
  confidence: z.number().min(0).max(1).nullish(),
  kind: z.string().optional(),
});
const hitSchema = z
  .object({
    code: z.unknown(),
    adapted: z.object({ code: z.unknown(), insert: z.unknown() }).partial().nullish(),
    continuesLine: z.unknown(),
    score: z.unknown(),
    confidence: z.unknown(),
  })
  .partial();

/** A server that speaks this project's REST. */
export function createRestTarget(options: RestTargetOptions): Target {
  const { token, reset, timeoutMs = 30_000, request } = options;
  const url = readUrl(options.url);
  const redact = createRedact(token === undefined ? [] : [token]);
  const exchange = createExchange(redact);

  async function call<T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T & Timed> {
    const label = `${method} ${path}`;
    const isForm = body instanceof FormData;
    const reply = await exchange({
      method,
      url: `${url}${path}`,
      headers: {
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && ({ body: isForm ? body : JSON.stringify(body) } as Pick<ExchangeRequest, "body">)),
      timeoutMs: isForm ? timeoutMs * UPLOAD_TIMEOUT_FACTOR : timeoutMs,
      label,
    });
    if (reply.status < 200 || reply.status > 299) throw toFault(label, reply, redact);
    const json = reply.status === 204 ? {} : parseAnswer(label, reply.text, redact);
    const parsed = schema.safeParse(json);
    if (!parsed.success)
      throw new TargetFault("junk", `${label} gave an answer that does not follow celrec's REST API`);
    return { ...parsed.data, ms: reply.ms };
  }

  /** Converts a failure before the first question to an error that ends the run. */
  const orFail = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof TargetFault)) throw error;
      throw failed(`${error.message}. ${advise(error.message)}`);
    }
  };
  const failed = (message: string) => new RecommenderError("TARGET_FAILED", `The target ${url}: ${message}`);
  const countCells = async () => (await orFail(() => call(statsSchema, "GET", "/v1/stats"))).cells;

  return {
    name: url,
    settings: { target: url, ...request },
    takesVariables: true,
    takesMinConfidence: true,
    async prepare() {
      const cells = await countCells();
      if (cells === 0) return;
      if (!reset) throw failed(`it has ${cells} cells; an evaluation needs an empty index. ${RESET_ADVICE}`);
      await orFail(() => call(z.object({}), "DELETE", "/v1/index"));
      const left = await countCells();
      if (left > 0) throw failed(`it was emptied and still has ${left} cells; is another client writing to it?`);
    },
    async add(notebooks) {
      for (const form of toForms(notebooks)) {
        const { rejected } = await orFail(() => call(uploadSchema, "POST", "/v1/notebooks", form));
        const [first] = rejected;
        if (first !== undefined)
          throw failed(`it rejected ${rejected.length} notebooks; ${first.name}: ${first.reason}`);
      }
    },
    async recommend({ code, k, context }) {
      const body = { ...request, code, k, ...(context && { context }) };
      const { recommendations, took, ms } = await call(answerSchema, "POST", "/v1/recommendations", body);
      const entries = recommendations.map((entry) => {
        const { adapted, ...hit } = hitSchema.safeParse(entry).data ?? {};
        return { ...hit, adapted: adapted?.code, insert: adapted?.insert };
      });
      return { ...readHits(entries, k), took: { ...took, total: ms } };
    },
    async complete(query) {
      const body = { minConfidence: 0, ...query, maxLines: 1 };
      const { completions, took, ms } = await call(completionsSchema, "POST", "/v1/completions", body);
      const read = completions.slice(0, query.k).flatMap((entry) => completionSchema.safeParse(entry).data ?? []);
      return {
        completions: read.map(({ confidence = null, ...each }) => ({ ...each, confidence })),
        junk: Math.min(query.k, completions.length) - read.length,
        took: { ...took, total: ms },
      };
    },
    close: async () => {},
  };
}

interface Timed {
  readonly ms: number;
}

const RESET_ADVICE = "Give --reset-target to empty it first; that deletes all its notebooks.";

function readUrl(text: string): string {
  const url = parseBaseUrl(text);
  if (url !== null) return url;
  // The URL is not quoted: it may contain a password.
  throw new RecommenderError(
    "INPUT_INVALID",
    "The URL of --target must be like http://localhost:8787, without user, password, query and fragment; a token goes into --target-token.",
  );
}

function advise(message: string): string {
  if (/ answered 40[13]\b/.test(message)) return "Give a token that may write and empty the index as --target-token.";
  if (/ (could not be reached|did not answer)/.test(message)) return "Is the server running, and is the URL right?";
  return "Check that it is a working celrec server.";
}

/** Several notebooks in a form, as many as fit. */
function* toForms(notebooks: readonly NamedNotebook[]): Generator<FormData> {
  let form = new FormData();
  let [bytes, cells] = [0, 0];
  for (const { name, notebook } of notebooks) {
    const file = new Blob([JSON.stringify(toIpynb(notebook))], { type: "application/x-ipynb+json" });
    if (cells > 0 && (bytes + file.size > MAX_BYTES || cells + notebook.cells.length > MAX_CELLS)) {
      yield form;
      form = new FormData();
      [bytes, cells] = [0, 0];
    }
    form.append("file", file, name);
    bytes += file.size;
    cells += notebook.cells.length;
  }
  if (cells > 0) yield form;
}
