import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** The part of esbuild that is used: bundles a file, so that its own imports come with it. */
interface Esbuild {
  build(options: object): Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>;
}

/** Imports a TypeScript module: by Node where it can (22.18 and later), else by the esbuild that is installed beside the file or here. */
export async function importTypeScript(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_UNKNOWN_FILE_EXTENSION") throw cause;
  }
  const { build } = findEsbuild(file);
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.text).toString("base64")}`);
}

function findEsbuild(file: string): Esbuild {
  for (const from of [file, import.meta.url]) {
    try {
      return createRequire(from)("esbuild") as Esbuild;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw cause;
    }
  }
  throw new Error(
    "this Node reads no TypeScript (22.18 and later do); install esbuild beside it, or give it as JavaScript",
  );
}
