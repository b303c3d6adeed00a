import { button, element, find, plural } from "./dom.js";
import { service } from "./service.js";

/** Uploads dropped or chosen notebooks, one by one. */
export function watchUploads(onDone: () => void): void {
  const drop = find("drop");
  const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    // The evaluation view handles dropped result files itself.
    if (!isFiles(event) || !find("evaluation").hidden) return;
    event.preventDefault();
    drop.hidden = false;
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) drop.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    if (drop.hidden || !isFiles(event)) return;
    event.preventDefault();
    drop.hidden = true;
    void upload([...(event.dataTransfer?.files ?? [])]).then(onDone);
  });
  const input = find<HTMLInputElement>("files");
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    input.value = "";
    void upload(files).then(onDone);
  });
}

async function upload(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const bar = find<HTMLProgressElement>("progress");
  const status = find("uploaded");
  bar.hidden = false;
  const problems: string[] = [];
  let stored = 0;
  let cells = 0;
  for (const [at, file] of files.entries()) {
    bar.value = at / files.length;
    status.textContent = `${at} of ${files.length}: ${file.name}`;
    try {
      const { notebooks } = await service().uploadFiles([file]);
      stored += notebooks.length;
      for (const each of notebooks) {
        cells += each.new;
        if (each.secrets.length > 0)
          problems.push(
            `${each.name} may contain ${each.secrets.length === 1 ? "a secret" : `${each.secrets.length} secrets`}. Review it before sharing.`,
          );
      }
    } catch (error) {
      const { message } = error as Error;
      // Messages of the service already start with the file name.
      problems.push(message.startsWith(`${file.name}: `) ? message : `${file.name}: ${message}`);
    }
  }
  bar.hidden = true;
  const summary = `${stored} of ${plural(files.length, "notebook")} added, ${plural(cells, "new cell")}.`;
  const close = button("Dismiss", () => status.replaceChildren());
  status.replaceChildren(...[summary, ...problems].map((line) => element("p", "", line)), close);
}
