import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../cli/celrec.js";

const list = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join(folder, name));
const DOCS = list("docs");
const PAGES = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "seeds/README.md"],
  ...["clients/python/README.md", "clients/jupyterlab/README.md", "clients/vscode/README.md"],
  ...DOCS,
  ...list("models"),
];

interface Link {
  readonly page: string;
  readonly to: string;
  readonly heading: string;
}

/** Links to other files and to headings. Text in a code block is not a link. */
function readLinks(page: string): Link[] {
  const text = readFileSync(join(ROOT, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/.test(link!)) return [];
    const [path = "", heading = ""] = link!.split("#");
    return [{ page, to: path === "" ? page : join(dirname(page), path), heading }];
  });
}

/** The names by which GitHub links to the headings of a page. */
function readAnchors(page: string): string[] {
  const headings = readFileSync(join(ROOT, page), "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text]) =>
    text!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const links = PAGES.flatMap(readLinks);

describe("the links of the pages", () => {
  it("lead to files that exist", () => {
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ to }) => !existsSync(join(ROOT, to)))).toEqual([]);
  });

  it("lead to headings that exist", () => {
    const toHeadings = links.filter(({ to, heading }) => heading !== "" && to.endsWith(".md"));
    expect(toHeadings.filter(({ to, heading }) => !readAnchors(to).includes(heading))).toEqual([]);
  });

  it("and paths in their text lead to files that exist", () => {
    const paths = [...DOCS, "README.md", "CONTRIBUTING.md"].flatMap((page) =>
      [
        ...readFileSync(join(ROOT, page), "utf8").matchAll(
          /`((?:src|test|mutators|scripts|seeds|examples|models)\/[\w./-]+)`/g,
        ),
      ].map(([, path]) => `${page}: ${path}`),
    );
    expect(paths.filter((each) => !existsSync(join(ROOT, each.split(": ")[1]!)))).toEqual([]);
  });

  it("reach every page of docs from docs/README.md", () => {
    const reached = new Set(["docs/README.md"]);
    for (const page of reached)
      for (const { to } of readLinks(page)) if (to.startsWith("docs/") && to.endsWith(".md")) reached.add(to);
    expect(DOCS.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe("README.md", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");

  it("has fewer than 700 words and shows the page", () => {
    expect(readme.split(/\s+/).length).toBeLessThan(700);
    expect(readme).toContain("](docs/images/page.png)");
  });
});
