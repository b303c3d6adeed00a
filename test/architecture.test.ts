import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { requires, sharedData } from "./require.js";

/** Each name may import itself and the names before it. This list is the map of the code. */
const ORDER = [
  "errors",
  "config",
  "threads",
  "notebook",
  "python",
  "label",
  "embed",
  "store",
  "ingest",
  "recommend",
  "complete",
  "similar",
  "ask",
  "evaluate",
  "mutators",
  "mcp",
  "http",
  "app",
  "cli",
  "library",
  "index",
];
const nameOf = (file: string) =>
  file
    .replace("../", "")
    .split("/")[0]!
    .replace(/\.\w+$/, "");
const place = (file: string) => ORDER.indexOf(nameOf(file));

const listSources = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
/** All paths are relative to src; the mutators are in a folder beside it. */
const sources = [...listSources("src"), ...listSources("mutators").map((file) => `../mutators/${file}`)];
const read = (file: string) => readFileSync(posix.join("src", file), "utf8");

/** Everything that a file loads: `import`, `export from`, and modules named by a string. */
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:from|import|import\(|require\()\s*"([^"]+)"/g)].map(([, name]) => name!);

/** The files of this project that a file imports. */
const targetsOf = (file: string) =>
  importsOf(file)
    .filter((path) => path.startsWith("."))
    .map((path) =>
      posix
        .join(posix.dirname(file), path)
        .replace(/^\.\.\/src\//, "")
        .replace(/\.js$/, ".ts"),
    );

/** Files that mention a package in code. Comments do not count. */
const knowing = (name: string) =>
  sources.filter((file) => [`"${name}"`, `"${name}/`].some((word) => withoutComments(read(file)).includes(word)));
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

/** The files that are loaded together with this one; a dynamic import loads nothing until it runs. */
function loadedBy(entry: string): string[] {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const [, path] of read(file).matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)";/gm)) {
      loaded.add(posix.join(posix.dirname(file), path!).replace(/\.js$/, ".ts"));
    }
  }
  return [...loaded];
}

/** Each file that imports itself indirectly, with the path of imports. */
function findCycles(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, way: readonly string[]) => {
    const start = way.indexOf(file);
    if (start !== -1) cycles.push([...way.slice(start), file].join(" -> "));
    if (start !== -1 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

describe("the layout", () => {
  it("has imports that point one way", () => {
    const wrong = sources.flatMap((file) =>
      targetsOf(file)
        .filter((target) => place(target) === -1 || place(target) > place(file))
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("knows every name in src", () => {
    expect(readdirSync("src").filter((name) => !ORDER.includes(nameOf(name)))).toEqual([]);
  });

  it("has no import of a missing file", () => {
    const missing = sources.flatMap((file) =>
      targetsOf(file)
        .filter((target) => !existsSync(posix.join("src", target)))
        .map((target) => `${file} -> ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it("has no import cycle, type imports included", () => {
    const targets = new Map(
      sources.map((file) => [file, targetsOf(file).filter((target) => sources.includes(target))]),
    );
    expect(findCycles(targets)).toEqual([]);
  });

  it("has no imports in errors.ts", () => {
    expect(importsOf("errors.ts")).toEqual([]);
  });

  it.each([
    ["express", /^http\//],
    ["node:http", /^(http\/|cli\/commands\/serve\.ts$)/],
    ["@zilliz/milvus2-sdk-node", /^store\/milvus/],
    ["@xenova/transformers", /^embed\//],
    ["onnxruntime-node", /^embed\//],
    ["libsql", /^(store\/embedded|ingest\/ledger\.ts$)/],
    ["usearch", /^store\/embedded/],
    ["web-tree-sitter", /^python\//],
    ["commander", /^cli\//],
    ["@modelcontextprotocol/sdk", /^(mcp\/|cli\/commands\/mcp\.ts$)/],
  ])("keeps %s in its own folder", (name, allowed) => {
    expect(knowing(name).filter((file) => !allowed.test(file))).toEqual([]);
  });

  it("creates stores and embedders in one place", () => {
    const creators = [
      "createEmbeddedStore(",
      "createMilvusStore(",
      "createCodebertEmbedder(",
      "createLexicalEmbedder(",
    ];
    const wrong = sources.filter(
      (file) =>
        !/^(app\/|store\/|embed\/)/.test(file) &&
        creators.some((creator) => withoutComments(read(file)).includes(creator)),
    );
    expect(wrong).toEqual([]);
  });

  // Every thread that loads a module needs memory for it. `completion-request` has only the schema of an answer.
  it.each([
    [
      "cli/commands/serve.ts",
      /^(python|label|embed|store|ingest|similar|complete(?!\/completion-request)|recommend\/(answer|features)|notebook\/corpus)\//,
    ],
    ["app/completer-thread.ts", /^(label|store|ingest|recommend|similar|http|notebook\/corpus)\//],
    ["app/answerer.ts", /^(store\/milvus|http|notebook\/corpus)\//],
    [
      "app/worker.ts",
      /^(store\/(embedded|milvus)\/|complete\/(?!completion-request)|recommend\/answer\/|http\/|notebook\/corpus\/)/,
    ],
  ])("has %s load no module that its thread does not use", (entry, unused) => {
    expect(loadedBy(entry).filter((file) => unused.test(file))).toEqual([]);
  });

  it("has no clock, randomness or files in operators", () => {
    const operators = listSources("mutators");
    const impure = /Math\.random|\bDate\b|performance\b|process\.|from "node:|^let /m;
    expect(operators.filter((file) => impure.test(readFileSync(`mutators/${file}`, "utf8")))).toEqual([]);
  });

  it("reads the environment once, where the program starts", () => {
    const readers = sources.filter((file) => withoutComments(read(file)).includes("process.env"));
    expect(readers).toEqual(["cli/main.ts"]);
  });

  it("exports names one by one, and has no `utils` folder", () => {
    expect(sources.filter((file) => /^export \*/m.test(read(file)))).toEqual([]);
    expect(sources.filter((file) => /(^|\/)(utils|helpers|common|services|managers)\//.test(file))).toEqual([]);
  });
});

describe("the repository", () => {
  const tracked = (() => {
    try {
      return execFileSync("git", ["ls-files", "-z"], { encoding: "utf8", maxBuffer: 2 ** 26 })
        .split("\0")
        .filter((file) => file !== "" && existsSync(file));
    } catch {
      return null;
    }
  })();
  const skipAloud = (skip: () => void) => {
    console.warn("skipped: git does not list the files here");
    skip();
  };

  it("contains no path of a developer's machine", ({ skip }) => {
    if (tracked === null) return skipAloud(skip);
    const path = /(?:^|[\s"'`(=:])\/(?:work|root|home\/(?!user|celrec|node|jovyan)\w+|Users\/\w+)\/[\w.]/;
    const wrong = tracked
      .filter((file) => !/^(examples\/notebooks|seeds)\/|package-lock\.json$|\.(onnx|bin|wasm)$/.test(file))
      .filter((file) => path.test(readFileSync(file, "utf8")));
    expect(wrong).toEqual([]);
  });

  it("contains no file of the shared data", ({ skip }) => {
    if (tracked === null) return skipAloud(skip);
    if (!requires("shared", existsSync(sharedData), "the shared data lies in ../shared/data")) return skip();
    const hash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
    const bySize = new Map<number, string[]>();
    for (const file of tracked) {
      const { size } = statSync(file);
      if (size > 64) bySize.set(size, [...(bySize.get(size) ?? []), file]);
    }
    const copies = readdirSync(sharedData, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      if (!entry.isFile()) return [];
      const path = join(entry.parentPath ?? entry.path, entry.name);
      const candidates = bySize.get(statSync(path).size) ?? [];
      return candidates.filter((file) => hash(file) === hash(path));
    });
    expect(copies).toEqual([]);
  });
});
