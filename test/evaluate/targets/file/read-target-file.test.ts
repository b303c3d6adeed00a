import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { readTargetFile } from "../../../../src/evaluate/targets/file/read-target-file.js";
import { makeFolder } from "../../../http/service.js";
import { failureOf } from "../servers.js";

const base = {
  url: "http://localhost:1",
  reset: { steps: [{ method: "DELETE", path: "/all" }] },
  upload: { steps: [{ method: "POST", path: "/add", json: "{{notebook}}" }] },
  recommend: { steps: [{ method: "POST", path: "/ask", json: { q: "{{code}}" } }], hits: "hits[*]" },
};

const write = (text: string, name = "target.yaml"): string => {
  const path = join(makeFolder(), name);
  writeFileSync(path, text);
  return path;
};

const uploadStep = (step: object, rest: object = {}) => ({ ...base, upload: { ...rest, steps: [step] } });
const askStep = (...steps: object[]) => ({ ...base, recommend: { ...base.recommend, steps } });

describe("a target file", () => {
  it("is YAML or JSON", () => {
    const yaml = readTargetFile(write(stringify(base)), {});
    const json = readTargetFile(write(JSON.stringify(base), "other.json"), {});
    expect(json.file).toEqual(yaml.file);
    expect([yaml.name, json.name]).toEqual(["target.yaml", "other.json"]);
    expect(yaml.file.upload?.each).toBe("notebook");
    expect(yaml.file.recommend!.hits).toEqual(["hits", null]);
  });

  it.each<[string, unknown, string]>([
    ["is a list", [], "must be an object with name, url,"],
    ["is empty", null, "must be an object with name, url,"],
    [
      "has an unknown field",
      { ...base, uplod: 1 },
      "uplod: unknown; allowed are name, url, timeout, start, ready, prepare, count, reset, upload, recommend, output, complete",
    ],
    ["has an upload without steps", { ...base, upload: {} }, "upload.steps: must be a list of steps"],
    [
      "lacks recommend",
      { ...base, recommend: undefined },
      "recommend: is missing; a file for `celrec eval cursor` may have complete instead",
    ],
    ["cannot be empty", { ...base, reset: undefined }, "must have start, count or reset: a run needs an empty target"],
    ["has a wrong name", { ...base, name: 3 }, "name: must be a string"],
    ["has an empty name", { ...base, name: "" }, "name: must not be empty"],
    ["has a wrong time-out", { ...base, timeout: "1 s" }, "timeout: must be a number of seconds"],
    ["has no time", { ...base, timeout: 0 }, "timeout: must be more than 0"],
    [
      "has another each",
      uploadStep({ path: "/" }, { each: "file" }),
      "upload.each: must be one of notebook, cell, batch",
    ],
    ["has no steps", { ...base, upload: { steps: [] } }, "upload.steps: must have at least one step"],
    ["has steps that are not a list", { ...base, upload: { steps: {} } }, "upload.steps: must be a list of steps"],
    [
      "has a step that is not an object",
      { ...base, upload: { steps: ["x"] } },
      "upload.steps[0]: must be an object with method, path, url,",
    ],
    [
      "has an unknown field in a step",
      uploadStep({ path: "/", body: 1 }),
      "upload.steps[0]: body: unknown; allowed are method, path, url, headers, json, text, form, expect, timeout, save",
    ],
    [
      "has an unknown field in a command",
      uploadStep({ command: ["x"], path: "/" }),
      "upload.steps[0]: path: unknown; allowed are command, shell, cwd, env, stdin, expect, timeout, save",
    ],
    [
      "has an unknown method",
      uploadStep({ method: "FETCH", path: "/" }),
      "upload.steps[0].method: must be one of GET, POST, PUT, PATCH, DELETE",
    ],
    ["has neither path nor url", uploadStep({ method: "POST" }), "upload.steps[0]: must have either path or url"],
    ["has path and url", uploadStep({ path: "/", url: "http://x" }), "upload.steps[0]: must have either path or url"],
    ["has a path without a slash", uploadStep({ path: "add" }), "upload.steps[0].path: must start with /"],
    [
      "has two bodies",
      uploadStep({ method: "POST", path: "/", json: 1, text: "1" }),
      "upload.steps[0]: must have only one of json, text and form",
    ],
    [
      "sends a body with GET",
      uploadStep({ path: "/", json: 1 }),
      "upload.steps[0]: must have a method that sends a body, such as POST",
    ],
    [
      "has a header that is no text",
      uploadStep({ path: "/", headers: { a: 1 } }),
      "upload.steps[0].headers.a: must be a string",
    ],
    [
      "has headers that are not an object",
      uploadStep({ path: "/", headers: "a: b" }),
      "upload.steps[0].headers: must be an object of strings",
    ],
    [
      "has an invalid form field",
      uploadStep({ method: "POST", path: "/", form: { a: { file: 1 } } }),
      "upload.steps[0].form.a: must be a string, or a file: content, filename, type",
    ],
    [
      "expects something other than a status",
      uploadStep({ path: "/", expect: "ok" }),
      "upload.steps[0].expect: must be a number or a list of numbers",
    ],
    [
      "has too long a time-out",
      uploadStep({ path: "/", timeout: 1e6 }),
      "upload.steps[0].timeout: must be at most 3600",
    ],
    [
      "saves under an odd name",
      uploadStep({ path: "/", save: { "a b": "x" } }),
      "upload.steps[0].save.a b: must have names of letters, digits and _, each with a path",
    ],
    [
      "saves from an invalid path",
      uploadStep({ path: "/", save: { a: "x..y" } }),
      "upload.steps[0].save.a: must be a path such as hits[*].code",
    ],
    [
      "has a command that is no list",
      uploadStep({ command: "rm x" }),
      "upload.steps[0].command: must be a list of strings: a program and its arguments",
    ],
    ["has a command with a number", uploadStep({ command: ["x", 1] }), "upload.steps[0].command[1]: must be a string"],
    ["has an empty command", uploadStep({ command: [] }), "upload.steps[0].command: must name a program"],
    [
      "has command and shell",
      uploadStep({ command: ["x"], shell: "x" }),
      "upload.steps[0]: must have either command or shell",
    ],
    [
      "has a placeholder in a shell command",
      uploadStep({ shell: "echo {{name}}" }),
      "upload.steps[0].shell: must not contain placeholders; pass them in env",
    ],
    ["has no command to start", { ...base, start: { cwd: "." } }, "start: must have either command or shell"],
    [
      "has a step in start",
      { ...base, start: { command: ["x"], timeout: 3 } },
      "start: timeout: unknown; allowed are command, shell, cwd, env",
    ],
    [
      "waits for a command",
      { ...base, ready: { command: ["x"] } },
      "ready: command: unknown; allowed are method, path, url",
    ],
    [
      "has a count without a value",
      { ...base, count: { steps: [{ path: "/" }] } },
      "count.value: must be a path such as hits[*].code",
    ],
    [
      "has no hits",
      { ...base, recommend: { steps: [{ path: "/" }] } },
      "recommend.hits: must be a path such as hits[*].code",
    ],
    [
      "has an invalid path to the code",
      { ...base, recommend: { ...base.recommend, code: "/code" } },
      "recommend.code: must be a path such as hits[*].code",
    ],
    [
      "has paths without a base URL",
      { ...base, url: undefined },
      "upload.steps[0].path: needs a url at the top of the file, or write a whole url here",
    ],
    ["has an invalid url", { ...base, url: "localhost:80" }, "url: must be an http or https URL"],
    [
      "uses an unknown placeholder",
      askStep({ path: "/{{cod}}" }),
      "recommend.steps[0].path: {{cod}} has no meaning here; allowed are port, number, name, index, notebook, code, k, context.before, context.markdown, context.variables, context.trajectory, context.task, env.NAME, saved.NAME, each also with _json",
    ],
    [
      "uses the code of a cell in an upload by notebook",
      uploadStep({ method: "POST", path: "/", json: { a: ["{{code}}"] } }),
      "upload.steps[0].json.a[0]: {{code}} has no meaning here; allowed are port, number, name, notebook, env.NAME",
    ],
    [
      "uses a placeholder of steps in its url",
      { ...base, url: "http://{{name}}" },
      "url: {{name}} has no meaning here; allowed are port, env.NAME",
    ],
    [
      "uses a variable that is not set",
      askStep({ path: "/", headers: { a: "{{env.NO_SUCH}}" } }),
      "recommend.steps[0].headers.a: {{env.NO_SUCH}} is not set; set the environment variable NO_SUCH",
    ],
    [
      "uses a value that was never saved",
      askStep({ path: "/{{saved.id}}" }),
      "recommend.steps[0].path: {{saved.id}} was not saved by a step before; nothing was",
    ],
    [
      "uses a value that a later step saves",
      askStep({ path: "/", save: { a: "a" } }, { path: "/{{saved.b}}", save: { b: "b" } }),
      "recommend.steps[1].path: {{saved.b}} was not saved by a step before; saved are a",
    ],
  ])("that %s is refused", async (_, document, expected) => {
    const path = write(stringify(document));
    const { code, message } = await failureOf(() => readTargetFile(path, {}));
    expect(code).toBe("INPUT_INVALID");
    expect(message.split("\n")[0]).toBe(`The target file ${path} is wrong (docs/guide/targets.md has the format):`);
    expect(message).toContain(`  ${expected}`);
  });

  it("names every problem at once", async () => {
    const path = write(stringify({ ...base, name: 1, upload: { each: "x", steps: [{ path: "a" }] } }));
    const { message } = await failureOf(() => readTargetFile(path, {}));
    expect(message.split("\n").slice(1)).toEqual([
      "  name: must be a string",
      "  upload.each: must be one of notebook, cell, batch",
      "  upload.steps[0].path: must start with /",
    ]);
  });

  it.each([
    ["name: {{port}}", /at line 1, column \d+ \(a text with a placeholder has to be in quotes\)$/],
    ["name: a: b", /at line 1, column \d+$/],
    ["name: a\nname: b", /Map keys must be unique at line 2, column 1$/],
    ['{"name": ', / at line 1, column \d+$/],
  ])("that cannot be parsed is refused: %s", async (text, expected) => {
    const { code, message } = await failureOf(() => readTargetFile(write(text), {}));
    expect(code).toBe("INPUT_INVALID");
    expect(message).toMatch(expected);
  });

  it("is refused if it does not exist", async () => {
    expect((await failureOf(() => readTargetFile("/no/such.yaml", {}))).message).toContain("cannot be read: ENOENT");
  });

  it("may take its url from the environment, and never shows it", async () => {
    const path = write(stringify({ ...base, url: "{{env.BASE}}" }));
    expect(readTargetFile(path, { BASE: "https://host/x" }).env).toEqual(new Map([["BASE", "https://host/x"]]));
    const { message } = await failureOf(() => readTargetFile(path, { BASE: "http://me:hunter2@host" }));
    expect(message).toContain("url: must be an http or https URL without user, password");
    expect(message).not.toContain("hunter2");
  });

  it("may use values that `prepare` saved in the other lists of steps", () => {
    const prepare = { steps: [{ path: "/login", save: { token: "token" } }] };
    const used = { ...askStep({ path: "/", headers: { a: "{{saved.token}}" } }), prepare };
    expect(readTargetFile(write(stringify(used)), {}).file.recommend!.steps).toHaveLength(1);
  });
});
