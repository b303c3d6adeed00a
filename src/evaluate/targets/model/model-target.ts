import { join } from "node:path";
import type { CompletionsAnswer, CursorQuery, Target, TargetAnswer, TargetHit, TargetQuery } from "../../target.js";
import {
  type AnswerCache,
  createModelApi,
  createRequestSender,
  type ModelAnswer,
  type ModelApiOptions,
  modelUrl,
  openAnswerCache,
  questionKey,
} from "./chat-api.js";
import {
  type Prompt,
  type PromptValues,
  showHits,
  showNotebook,
  showTrajectory,
  showVariables,
  toComment,
} from "./prompts.js";

export interface ModelTargetOptions extends ModelApiOptions {
  readonly model: string;
  readonly prompt: Prompt;
  /** Asks for the output of a cell, in suites that have this task. */
  readonly outputPrompt?: Prompt | undefined;
  /** Folder of the answers on disk. */
  readonly cacheFolder: string;
  /** Fields of the request that replace the defaults; null leaves a field out. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly maxTokens?: number;
  /** Maximum characters of the cells above in a prompt. */
  readonly maxContext?: number;
  /** Puts retrieved cells into the prompt. */
  readonly retrieval?: { readonly target: Target; readonly cells: number };
  /** Prices per million tokens. */
  readonly prices?: { readonly in: number; readonly out: number };
  /** Gets the first prompt; no request is sent. */
  readonly onPrompt?: (prompt: string) => void;
}

const MAX_TOKENS = { cell: 512, line: 64 } as const;
const MAX_CONTEXT = 24_000;
const SEED = 1;

/** A language model on a server with the OpenAI API. Its answer to a question is one cell, or one completion. */
export function createModelTarget(options: ModelTargetOptions): Target {
  const { model, api, prompt, outputPrompt, maxContext = MAX_CONTEXT, retrieval, onPrompt } = options;
  const url = modelUrl(options.url);
  const cells = retrieval?.cells ?? 0;
  const name = `openai:${model}${cells === 0 ? "" : ` with ${cells} cells`}`;
  const ask = createCachedAsk(options, openAnswerCache(options.cacheFolder, `${url} ${model}`));

  const put = async (values: PromptValues, maxTokens: number, template = prompt): Promise<ModelAnswer | null> => {
    const { stop, ...texts } = api === "chat" ? { messages: template.chat(values) } : template.completion(values);
    const body = withSettings(
      {
        model,
        ...texts,
        temperature: 0,
        seed: SEED,
        max_tokens: options.maxTokens ?? maxTokens,
        ...(stop && { stop }),
      },
      options.settings ?? {},
    );
    if (onPrompt === undefined) return ask.question(body);
    onPrompt(showPrompt(body));
    return null;
  };
  const retrieve = async (query: TargetQuery): Promise<{ readonly text: string; readonly ms: number }> => {
    if (retrieval === undefined) return { text: "", ms: 0 };
    const { hits, took } = await retrieval.target.recommend({ ...query, k: cells });
    return { text: showHits(hits), ms: took.total ?? 0 };
  };
  const timesOf = (answer: ModelAnswer, retrieved: { readonly ms: number }) =>
    retrieval === undefined
      ? { total: answer.ms }
      : { retrieval: retrieved.ms, model: answer.ms, total: retrieved.ms + answer.ms };

  return {
    name,
    settings: {
      target: name,
      url,
      api,
      prompt: prompt.hash,
      temperature: 0,
      seed: SEED,
      withCells: cells,
      ...(options.settings && { modelSettings: JSON.stringify(options.settings) }),
    },
    takesVariables: true,
    givesOne: true,
    generates: true,
    isCached: true,
    prepare: async () => retrieval?.target.prepare(),
    add: async (notebooks) => retrieval?.target.add(notebooks),
    async recommend(query) {
      const retrieved = await retrieve(query);
      const answer = await put(cellValues(query, retrieved.text, maxContext), MAX_TOKENS.cell);
      if (answer === null) return { hits: [], junk: 0, took: {} };
      return { hits: toHits(answer.text, query.code, api), junk: 0, took: timesOf(answer, retrieved) };
    },
    ...(outputPrompt && {
      async predictOutput(query: TargetQuery): Promise<TargetAnswer> {
        const answer = await put(cellValues(query, "", maxContext), MAX_TOKENS.cell, outputPrompt);
        if (answer === null) return { hits: [], junk: 0, took: {} };
        return { hits: toHits(answer.text, "", api), junk: 0, took: { total: answer.ms } };
      },
    }),
    async complete(query): Promise<CompletionsAnswer> {
      const { prefix, context, k } = query;
      const retrieved = await retrieve({ code: prefix, k, context });
      const answer = await put(cursorValues(query, retrieved.text, maxContext), MAX_TOKENS.line);
      if (answer === null) return { completions: [], junk: 0, took: {} };
      const text = toInsertion(answer.text, prefix, api);
      return {
        completions: text.trim() === "" ? [] : [{ text, confidence: null }],
        junk: 0,
        took: timesOf(answer, retrieved),
      };
    },
    usage: ask.usage,
    async close() {
      ask.close();
      await retrieval?.target.close();
    },
  };
}

/** Answers from the cache, else from the server. Equal concurrent questions share one request. */
function createCachedAsk({ prices, ...options }: ModelTargetOptions, cache: AnswerCache) {
  const url = modelUrl(options.url);
  const sender = createRequestSender(join(options.cacheFolder, "asking"));
  const request = createModelApi(options, sender, cache);
  const pending = new Map<string, Promise<ModelAnswer>>();
  const usage = { answers: 0, asked: 0, fromCache: 0, tokensIn: 0, tokensOut: 0, paidIn: 0, paidOut: 0, truncated: 0 };

  const send = async (key: string, body: object) => {
    const answer = await request(body, key);
    cache.add(key, answer);
    sender.forget(key);
    usage.asked += 1;
    usage.paidIn += answer.tokensIn;
    usage.paidOut += answer.tokensOut;
    return answer;
  };
  const price = (tokensIn: number, tokensOut: number) =>
    prices === undefined ? null : (tokensIn * prices.in + tokensOut * prices.out) / 1e6;
  return {
    async question(body: object): Promise<ModelAnswer> {
      const key = questionKey(`${url} ${options.api}`, body);
      const known = cache.find(key);
      const asking = known === undefined ? (pending.get(key) ?? send(key, body)) : null;
      if (asking !== null) pending.set(key, asking);
      const answer = known ?? (await asking!.finally(() => pending.delete(key)));
      usage.answers += 1;
      usage.tokensIn += answer.tokensIn;
      usage.tokensOut += answer.tokensOut;
      usage.truncated += answer.truncated ? 1 : 0;
      return answer;
    },
    close: sender.close,
    usage: () => {
      const { paidIn, paidOut, ...counts } = usage;
      return {
        ...counts,
        fromCache: counts.answers - counts.asked,
        costOfRun: price(paidIn, paidOut),
        costOfAnswers: price(counts.tokensIn, counts.tokensOut),
      };
    },
  };
}

function withSettings(body: object, settings: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries({ ...body, ...settings }).filter(([, value]) => value !== null));
}

/** The request in readable form: the texts, then the other fields. */
function showPrompt(body: object): string {
  const { messages, prompt, ...rest } = body as {
    messages?: readonly { readonly role: string; readonly content: string }[];
    prompt?: string;
  };
  const texts = messages?.map(({ role, content }) => `--- ${role} ---\n${content}`) ?? [`--- prompt ---\n${prompt}`];
  return [...texts, `--- settings ---\n${JSON.stringify(rest)}`].join("\n\n");
}

function cellValues(query: TargetQuery, cells: string, maxContext: number): PromptValues {
  const { code, context, above, trajectory } = query;
  const { before = [], markdown = "", variables = {} } = context ?? {};
  const runtime = trajectory?.steps.at(-1)?.runtime_variables ?? {};
  return {
    ...{ code, cells, markdown, comment: commentOf(markdown), prefix: code, suffix: "" },
    notebook: showNotebook(above ?? codeCells(before), maxContext),
    variables:
      Object.keys(runtime).length > 0
        ? showVariables(runtime)
        : Object.entries(variables)
            .map(([name, type]) => `${name}: ${type}`)
            .join("\n"),
    trajectory: showTrajectory(trajectory?.steps ?? [], maxContext),
    task: trajectory?.task ?? "",
  };
}

function cursorValues({ prefix, suffix = "", context }: CursorQuery, cells: string, maxContext: number): PromptValues {
  const { before, markdown } = context;
  return {
    ...{ code: prefix, cells, markdown, comment: commentOf(markdown), prefix, suffix, variables: "" },
    ...{ trajectory: "", task: "" },
    notebook: showNotebook(codeCells(before), maxContext),
  };
}

const codeCells = (sources: readonly string[]) => sources.map((source) => ({ type: "code", source }));

const commentOf = (markdown: string): string => (markdown === "" ? "" : toComment(markdown));

/** The answer as a cell. If it repeats the typed text, only the rest is the insertion. */
function toHits(answer: string, typed: string, api: ModelApiOptions["api"]): TargetHit[] {
  const code = api === "chat" ? cleanAnswer(answer) : answer.replace(/^\n+/, "").trimEnd();
  if (code.trim() === "") return [];
  const start = typed.trimEnd();
  const insert = start !== "" && code.startsWith(start) ? code.slice(start.length).replace(/^\n/, "") : code;
  return [{ code, insert, raw: answer, score: null, confidence: null }];
}

/** The rest of the line. Chat models often repeat the line, or put it in a fence. */
function toInsertion(answer: string, prefix: string, api: ModelApiOptions["api"]): string {
  if (api === "completions") return answer.split("\n")[0]!;
  const typed = prefix.slice(prefix.lastIndexOf("\n") + 1);
  const text = cleanAnswer(answer);
  const repeated = [prefix, typed, typed.trimStart()].find((part) => part.trim() !== "" && text.startsWith(part));
  return text.slice(repeated?.length ?? 0).split("\n")[0]!;
}

const THINKING_BLOCK = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;
/** The first fenced block. A truncated answer has no closing fence. */
const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/m;
const ONE_LINE = /^`{1,3}([^`\n]+)`{1,3}$/;
/** A remaining language tag on its own line. */
const LANGUAGE_TAG = /^(?:python3?|py|ipython3?|text|plaintext|output)[ \t]*\n/i;

/**
 * Themisto's post-processing of a model's answer: removes code fences, language tags and surrounding white space. If the answer has prose, the first fenced block is taken. Thoughts of a reasoning model are dropped.
 * @example cleanAnswer("Sure:\n```python\nx = 1\n```") // "x = 1"
 */
export function cleanAnswer(answer: string): string {
  const text = answer.replaceAll("\r\n", "\n").replace(THINKING_BLOCK, "");
  const fenced = FENCED.exec(text)?.[2];
  if (fenced !== undefined) return trimLines(fenced);
  const bare = trimLines(text);
  const [, inline] = ONE_LINE.exec(bare) ?? [];
  return inline ?? trimLines(bare.replace(LANGUAGE_TAG, ""));
}

/** Removes blank lines at the start and white space at the end, but not the indentation of the first line. */
function trimLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}
