import { Dialog, showDialog } from "@jupyterlab/apputils";
import { Widget } from "@lumino/widgets";
import type { Connection } from "./answers.js";
import { element } from "./element.js";
import type { Service } from "./service.js";

const HERE = "here";

/** Asks which service to use, and stores the choice on the Jupyter server. True if something changed. */
export async function chooseService(service: Service): Promise<boolean> {
  const now = await service.connection();
  const url = field("URL", "url", now.url ?? "", "https://celrec.example.org");
  const token = field("Token", "password", "", now.hasToken ? "kept; type to change" : "none");
  const body = new Widget({
    node: element("div", "jp-celrec-Connect", element("p", "", describe(now)), url.row, token.row),
  });
  const { button } = await showDialog({
    title: "celrec service",
    body,
    focusNodeSelector: "input",
    buttons: [
      Dialog.cancelButton(),
      Dialog.createButton({ label: "Use the service of this Jupyter server", accept: true, actions: [HERE] }),
      Dialog.okButton({ label: "Connect" }),
    ],
  });
  if (!button.accept) return false;
  if (button.actions.includes(HERE)) await service.disconnect();
  else await service.connect(url.input.value, token.input.value);
  return true;
}

function describe({ where, url, problem }: Connection): string {
  if (where === "elsewhere") return `Now: ${url}. The token stays on the Jupyter server.`;
  return (
    problem ??
    "Now: the service of this Jupyter server, which starts automatically. Tokens of other services stay on the Jupyter server."
  );
}

function field(name: string, type: string, value: string, placeholder: string) {
  const input = element("input", "jp-mod-styled");
  Object.assign(input, { type, value, placeholder, autocomplete: "off" });
  return { input, row: element("label", "", name, input) };
}
