import { button, copyButton, element } from "./dom.js";
import { reach, tokenHeader } from "./reach.js";

/** Adds to every call of the API page a button that copies its curl command, and a form that sends it. */
for (const sample of document.querySelectorAll<HTMLElement>("pre.curl")) {
  const base = new URL(".", location.href).href.replace(/\/$/, "");
  sample.textContent = sample.textContent.replace("http://127.0.0.1:8787", base);
  sample.after(
    element(
      "p",
      "row",
      copyButton(() => sample.textContent, "Copy curl"),
    ),
    renderTry(sample, base),
  );
}

function renderTry(sample: HTMLElement, base: string): HTMLElement {
  const { method = "get", path = "", names = "", type = "", body = "" } = sample.dataset;
  const fields = names.split(" ").filter((name) => name !== "");
  const inputs = fields.map((name) => [name, addField(element("input"), name)] as const);
  const text = body === "" ? null : addField(element("textarea"), "body");
  if (text !== null) text.field.value = JSON.stringify(JSON.parse(body), null, 2);
  const answer = element("pre");
  answer.setAttribute("role", "status");
  answer.hidden = true;

  const send = async () => {
    const given = inputs.map(([name, { field }]) => [name, field.value] as const);
    const filled = given.reduce((url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)), path);
    const rest = given.filter(([name, value]) => !path.includes(`{${name}}`) && value !== "");
    const query = new URLSearchParams(rest.map(([name, value]) => [name, value]));
    const response = await reach(`${base}${filled}${query.size === 0 ? "" : `?${query}`}`, {
      method: method.toUpperCase(),
      headers: { ...(text !== null && { "content-type": type }), ...tokenHeader() },
      ...(text !== null && { body: text.field.value }),
    });
    const received = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    return `${response.status} ${response.statusText}\n\n${isJson ? JSON.stringify(JSON.parse(received), null, 2) : received}`;
  };
  const show = (shown: string) => {
    answer.textContent = shown;
    answer.hidden = false;
  };
  const go = button("Send", () => void send().then(show, (error: Error) => show(error.message)), "primary");
  const warning = method === "delete" ? [element("p", "problem", "This deletes data of this service.")] : [];
  const parts = [...inputs.map(([, { label }]) => label), ...(text === null ? [] : [text.label])];
  const summary = element("summary", "", "Try it");
  return element("details", "try", summary, ...parts, ...warning, element("p", "row", go), answer);
}

function addField(made: HTMLElement, name: string) {
  const field = made as HTMLInputElement | HTMLTextAreaElement;
  return { field, label: element("label", "", name, " ", field) };
}
