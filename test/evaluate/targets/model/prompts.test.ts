import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Suite } from "../../../../src/evaluate/suite.js";
import { SUITES } from "../../../../src/evaluate/suites/index.js";
import {
  type PromptValues,
  parsePrompt,
  readPrompt,
  showNotebook,
  showTrajectory,
  showVariables,
} from "../../../../src/evaluate/targets/model/prompts.js";
import { failureOf } from "../servers.js";

const EMPTY: PromptValues = {
  notebook: "",
  markdown: "",
  comment: "",
  code: "",
  prefix: "",
  suffix: "",
  variables: "",
  cells: "",
  trajectory: "",
  task: "",
};

describe("a trajectory in a prompt", () => {
  const step = {
    code: "x + 1",
    output: "2\n",
    execution_time: 0.25,
    memory_bytes: 3 * 2 ** 20,
    runtime_variables: { x: { type: "int", size: 28, value: "1" }, df: { type: "DataFrame", value: "  a\n0  1" } },
  };

  it("shows output, time and memory of every step, and the latest steps that fit", () => {
    const [first, second] = ["# %%\nx = 1", "# %% executed: 0.25 s, memory 3 MB\nx + 1\n# Output:\n# 2"];
    const steps = [{ code: "x = 1", output: "", runtime_variables: {} }, step];
    expect(showTrajectory(steps, 1_000)).toBe(`${first}\n\n${second}`);
    expect(showTrajectory(steps, second.length + 5)).toBe(second);
  });

  it("shows the variables with their sizes and values", () => {
    expect(showVariables(step.runtime_variables)).toBe("x: int, 28 bytes = 1\ndf: DataFrame =  a 0 1");
  });
});

describe("a prompt file", () => {
  const text =
    "A comment.\n\n--- system ---\nBe short.\n\n--- user ---\nAbove:\n{{notebook}}\n\nTyped: {{code}}\n\nGo.\n";

  it("is filled in, and paragraphs without values are left out", () => {
    const { chat } = parsePrompt(text, "mine.txt");
    expect(chat({ ...EMPTY, code: "{{notebook}}\n\nb" })).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: "Typed: {{notebook}}\n\nb\n\nGo." },
    ]);
  });

  it("has the fields of the completions API", () => {
    const { completion } = parsePrompt(
      "--- prompt ---\n{{prefix}}\n--- suffix ---\n{{suffix}}\n--- stop ---\n\\n\nEND\n",
      "m",
    );
    expect(completion({ ...EMPTY, prefix: "a = ", suffix: "\nb" })).toEqual({
      prompt: "a = ",
      suffix: "\nb",
      stop: ["\n", "END"],
    });
    expect(completion({ ...EMPTY, prefix: "a = " })).toEqual({ prompt: "a = ", stop: ["\n", "END"] });
  });

  it.each([
    ["--- usr ---\nx", 'mine.txt has a section "usr"; known sections: system, user, prompt, suffix, stop.'],
    [
      "--- user ---\n{{cod}}",
      "mine.txt has {{cod}}; known placeholders: notebook, markdown, comment, code, prefix, suffix, variables, cells, trajectory, task.",
    ],
    ["nothing", 'mine.txt has neither a section "user" nor a section "prompt".'],
  ])("is refused: %s", async (wrong, message) => {
    expect(await failureOf(() => parsePrompt(wrong, "mine.txt"))).toEqual({ code: "INPUT_INVALID", message });
  });

  it("replaces the shipped one of its name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "prompts-"));
    writeFileSync(join(folder, "juice.txt"), "--- user ---\nMine: {{markdown}}");
    expect(readPrompt("juice", folder).chat({ ...EMPTY, markdown: "m" })).toEqual([
      { role: "user", content: "Mine: m" },
    ]);
    expect(readPrompt("exeds", folder).hash).toBe(readPrompt("exeds").hash);
    const missing = await failureOf(() => readPrompt("juice", join(folder, "none")));
    expect(missing.message).toContain("--prompts takes a folder of prompt files.");
  });
});

describe("the shipped prompts", () => {
  const names = (SUITES as readonly Suite[]).flatMap((suite) => (suite.asks === null ? [] : [suite.name]));

  it("are one for every suite that asks", () => {
    const files = readdirSync("prompts").filter((file) => file.endsWith(".txt"));
    const expected = [...names, "themisto-output"].map((name) => `${name}.txt`);
    expect(files.sort()).toEqual(expected.sort());
  });

  it.each(names)("%s has retrieved cells, and works for both APIs", (name) => {
    const prompt = readPrompt(name);
    const values = { ...EMPTY, code: "TYPED", prefix: "TYPED", notebook: "ABOVE", cells: "RETRIEVED" };
    const [, user] = prompt.chat(values);
    expect(user!.content).toContain("RETRIEVED");
    expect(prompt.completion(values).prompt).toMatch(/^RETRIEVED[\s\S]*# %%\nTYPED$/);
    expect(prompt.chat({ ...values, cells: "" })[1]!.content).not.toContain("other notebooks");
  });
});

describe("the cells above", () => {
  const cells = [
    { type: "code", source: "a = 1" },
    { type: "markdown", source: "# Title\ntext" },
    { type: "code", source: "b = 2" },
  ];

  it("are in percent format", () => {
    expect(showNotebook(cells, 1_000)).toBe("# %%\na = 1\n\n# %% [markdown]\n# # Title\n# text\n\n# %%\nb = 2");
  });

  it("are the nearest that fit, and at least the end of one", () => {
    expect(showNotebook(cells, 45)).toBe("# %% [markdown]\n# # Title\n# text\n\n# %%\nb = 2");
    expect(showNotebook(cells, 5)).toBe("b = 2");
  });
});
