export const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export function element(name: string, className = "", ...content: (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

/** `label` is the accessible name, for screen readers. */
export function button(text: string, label: string, onClick: () => void, className = ""): HTMLButtonElement {
  const made = element("button", className, text) as HTMLButtonElement;
  made.type = "button";
  if (label !== "") made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** `train_model` as `train model`. */
export const showLabel = (label: string): string => label.replaceAll("_", " ");

export const showShare = (share: number): string => `${Math.round(100 * share)} %`;
