export const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export function element(name: string, className = "", ...content: (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

export function button(text: string | Node, onClick: () => void, className = ""): HTMLButtonElement {
  const made = element("button", className, text) as HTMLButtonElement;
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

export function link(href: string, className: string, ...content: (string | Node)[]): HTMLAnchorElement {
  const made = element("a", className, ...content) as HTMLAnchorElement;
  made.href = href;
  return made;
}

/** A toolbar: one tab stop, with arrow keys to move between its controls. */
export function toolbar(name: string, ...controls: HTMLElement[]): HTMLElement {
  const made = element("div", "tools", ...controls);
  made.setAttribute("role", "toolbar");
  made.setAttribute("aria-label", name);
  const usable = controls.filter((control) => !(control as HTMLButtonElement).disabled);
  for (const control of usable) control.tabIndex = control === usable[0] ? 0 : -1;
  made.addEventListener("keydown", ({ key }) => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const at = usable.indexOf(document.activeElement as HTMLElement);
    if (step === 0 || at === -1) return;
    const next = usable[(at + step + usable.length) % usable.length]!;
    for (const control of usable) control.tabIndex = control === next ? 0 : -1;
    next.focus();
  });
  return made;
}

/** A button that copies a text and confirms it. */
export function copyButton(text: () => string, label = "Copy"): HTMLButtonElement {
  const made = button(label, () => {
    void navigator.clipboard.writeText(text()).then(
      () => show("Copied"),
      () => show("Copying is not allowed here"),
    );
  });
  const show = (message: string) => {
    made.textContent = message;
    setTimeout(() => {
      made.textContent = label;
    }, COPIED_NOTICE_MS);
  };
  return made;
}

const COPIED_NOTICE_MS = 2_000;

/** A command to type, with a button that copies it. */
export const command = (text: string): HTMLElement =>
  element(
    "p",
    "command",
    element("code", "", text),
    copyButton(() => text),
  );

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** The displayed name of a label: `train_model` becomes `train model`. */
export const showLabel = (label: string): string => label.replaceAll("_", " ");

export const showShare = (share: number): string => `${Math.round(100 * share)} %`;

/** A path with a muted folder part. */
export function fileName(path: string, cellIndex?: number): HTMLElement {
  const cut = path.lastIndexOf("/") + 1;
  const cell = cellIndex === undefined ? [] : [` [${cellIndex}]`];
  const folder = cut === 0 ? [] : [element("span", "quiet", path.slice(0, cut))];
  return element("span", "file", element("span", "path", ...folder, path.slice(cut)), ...cell);
}

/** The address of a stored notebook on this page, or of a cell in it. */
export const notebookAddress = (id: string, cellIndex?: number): string =>
  `#notebook/${id}${cellIndex === undefined ? "" : `/${cellIndex}`}`;
