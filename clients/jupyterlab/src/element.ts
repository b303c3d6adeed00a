/** An element with a class and children or text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...children);
  return made;
}

/** `label` is used for screen readers and as the tooltip. */
export function button(text: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", "jp-celrec-Button", text);
  made.type = "button";
  made.title = label;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}
