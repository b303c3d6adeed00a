import { describe, expect, it } from "vitest";
import { createComplete } from "../../src/ask/complete.js";
import { parseInput } from "../../src/ask/parse-input.js";
import { completeRequest } from "../../src/ask/requests.js";
import type { CompleteRequest } from "../../src/complete/completion-request.js";

/** The arguments with which the model is called for a request. */
async function asked(body: object): Promise<CompleteRequest> {
  const requests: CompleteRequest[] = [];
  const complete = createComplete({
    complete: async (request) => {
      requests.push(request);
      return { id: "", completions: [], took: {} };
    },
  });
  await complete(parseInput(completeRequest, body));
  return requests[0]!;
}

describe("createComplete", () => {
  it("asks for one completion of one line by default", async () => {
    expect(await asked({ prefix: "df." })).toEqual({
      prefix: "df.",
      suffix: "",
      k: 1,
      maxLines: 1,
      context: { before: [], after: [], markdown: undefined, variables: undefined },
      signal: undefined,
    });
  });

  it("passes on variables by type or with columns and members", async () => {
    const variables = { n: "int", df: { type: "DataFrame", columns: ["a b", ""], members: ["head"] } };
    const { context } = await asked({ prefix: "x", context: { variables } });
    expect(context!.variables).toEqual(variables);
  });

  it("reads the end of a long prefix and the start of a long suffix, in whole lines", async () => {
    const line = `${"x".repeat(1023)}\n`;
    const { prefix, suffix } = await asked({ prefix: `${line.repeat(200)}df.`, suffix: `)\n${line.repeat(200)}` });
    expect(prefix).toBe(`${line.repeat(31)}df.`);
    expect(suffix).toBe(`)\n${line.repeat(7)}`.trimEnd());
  });

  it("cuts one long line between two characters", async () => {
    const { prefix, suffix } = await asked({ prefix: "é".repeat(100_000), suffix: `a${"é".repeat(100_000)}` });
    expect(prefix).toBe("é".repeat(16 * 1024));
    expect(suffix).toBe(`a${"é".repeat(4 * 1024 - 1)}`);
  });

  it("reads the nearest cells of a notebook of 5,000", async () => {
    const cells = Array.from({ length: 5_000 }, (_, at) => `# ${at}`.padEnd(1024));
    const { context } = await asked({ prefix: "x", context: { before: cells, after: cells.slice(0, 100) } });
    expect(context!.before!.map((cell) => cell.trim())).toEqual(
      Array.from({ length: 128 }, (_, at) => `# ${4_872 + at}`),
    );
    expect(context!.after!.map((cell) => cell.trim())).toEqual(Array.from({ length: 32 }, (_, at) => `# ${at}`));
  });

  it("skips requests of disconnected clients", async () => {
    const complete = createComplete({ complete: async () => ({ id: "", completions: [], took: {} }) });
    const request = parseInput(completeRequest, { prefix: "x" });
    await expect(complete(request, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  });
});
