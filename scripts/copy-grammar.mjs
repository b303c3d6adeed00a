// Copies the Python grammar into the build. `npm run build` runs it. The package of the grammar also has C sources and
// builds for Node, 8 MB that an installed celrec does not need.
import { copyFileSync } from "node:fs";

for (const [from, to] of [
  ["tree-sitter-python.wasm", "tree-sitter-python.wasm"],
  ["LICENSE", "tree-sitter-python.LICENSE"],
])
  copyFileSync(`node_modules/tree-sitter-python/${from}`, `dist/src/python/${to}`);
