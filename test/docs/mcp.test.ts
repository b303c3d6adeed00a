import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOOLS_WITH_FILES } from "../../src/mcp/tools.js";
import { makeFolder } from "../cli/celrec.js";
import { connectProgram } from "../mcp/agent.js";

const page = readFileSync("docs/guide/agents.md", "utf8");
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, block]) => block!);

describe("the configuration of agents", () => {
  const json = blocks(page, "json").map((block) => JSON.parse(block));
  const entries = json.map(({ mcpServers, servers }) => (mcpServers ?? servers).celrec);

  it("is the same in every form", () => {
    const args = ["mcp", "--data", "/home/user/.celrec"];
    expect(entries.length).toBe(2);
    for (const entry of entries) expect([entry.command, entry.args]).toEqual(["celrec", args]);
    const [toml] = blocks(page, "toml");
    expect(toml).toBe(
      `[mcp_servers.celrec]\ncommand = "celrec"\nargs = ${JSON.stringify(args).replaceAll(",", ", ")}\n`,
    );
  });

  it("starts a server", async () => {
    const words: string[] = entries[0].args.slice(1);
    const agent = await connectProgram([words[0]!, join(makeFolder(), "index")]);
    expect(agent.client.getServerVersion()?.name).toBe("celrec");
  });
});

describe("docs/guide/agents.md", () => {
  it("names every tool with every field", () => {
    for (const { name, input } of TOOLS_WITH_FILES) {
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
      const fields = Object.keys((input as unknown as { shape: object }).shape).filter((field) => field !== "lines");
      expect([name, fields.filter((field) => !row.includes(`\`${field}\``))]).toEqual([name, []]);
    }
    expect(page.replaceAll("\n", " ")).toContain("`lines` (100 by default)");
  });
});
