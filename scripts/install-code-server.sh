#!/usr/bin/env bash
# Run before the tests of clients/vscode: installs VS Code as a server (code-server) into .code-server, or the folder named.
# Its own install script also builds what the tests do not need (terminals, Kerberos) and downloads ripgrep, which must be there.
set -euo pipefail
rg=$(command -v rg) || { echo "Install ripgrep (rg) first: VS Code finds files with it." >&2; exit 1; }
folder=$(realpath -m "${1:-.code-server}")
# Node's own headers, if it has them: no download.
node_folder=$(node -p "path.dirname(path.dirname(process.execPath))")
[ ! -e "$node_folder/include/node/node.h" ] || export npm_config_nodedir="$node_folder"
mkdir -p "$folder"
cd "$folder"
echo "{}" > package.json
npm install --silent --no-save --ignore-scripts code-server@4.100.3
code=$folder/node_modules/code-server/lib/vscode
(cd "$code" && npm install --silent --ignore-scripts --omit=dev && npm rebuild --silent @vscode/spdlog native-watchdog @parcel/watcher)
(cd "$code/extensions" && npm install --silent --ignore-scripts --omit=dev)
(cd node_modules/argon2 && npx --no-install node-pre-gyp install --build-from-source >/dev/null 2>&1)
ln -sfn node_modules "$code/node_modules.asar"
mkdir -p "$code/node_modules/@vscode/ripgrep/bin"
ln -sf "$rg" "$code/node_modules/@vscode/ripgrep/bin/rg"
