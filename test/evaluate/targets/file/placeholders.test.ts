import { describe, expect, it } from "vitest";
import { renderJson, renderText, renderUrl } from "../../../../src/evaluate/targets/file/placeholders.js";

const code = 'print("{{k}}")\n';
const values = new Map<string, unknown>([
  ["code", code],
  ["k", 3],
  ["codes", ["a", "b"]],
  ["context.markdown", ""],
  ["env.URL", "http://host/a?b=c"],
]);

describe("placeholders", () => {
  it.each([
    ["{{code}}", code],
    ["<{{ code }}>", `<${code}>`],
    ['{"q": {{code_json}}, "n": {{k}}}', `{"q": ${JSON.stringify(code)}, "n": 3}`],
    ["{{codes}}{{context.markdown}}", '["a","b"]'],
  ])("fill the text %s", (template, text) => {
    expect(renderText(template, values)).toBe(text);
  });

  it("keep their type in JSON if they are the whole value", () => {
    const template = {
      q: "{{code}}",
      n: "{{k}}",
      list: ["{{codes}}", "{{k}} of {{k}}", 1, null, true],
      s: "{{codes_json}}",
    };
    expect(renderJson(template, values)).toEqual({
      q: code,
      n: 3,
      list: [["a", "b"], "3 of 3", 1, null, true],
      s: '["a","b"]',
    });
  });

  it("are encoded in URLs, unless one is the whole URL", () => {
    expect(renderUrl("/search?q={{code}}&k={{k}}", values)).toBe("/search?q=print(%22%7B%7Bk%7D%7D%22)%0A&k=3");
    expect(renderUrl("{{env.URL}}", values)).toBe("http://host/a?b=c");
    expect(renderUrl("/{{lone}}", new Map([["lone", "\ud800"]]))).toBe("/%EF%BF%BD");
  });
});
