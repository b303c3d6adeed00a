import { button, element } from "./element.js";

export interface WelcomeDeps {
  /** Number of notebooks in the folder. */
  readonly count: () => Promise<number>;
  readonly onIndex: (keepsInStep: boolean) => void;
}

const SENTENCE =
  "celrec completes your cells and shows cells of your own notebooks that fit. Nothing leaves this server.";

/** The first-run message: what the panel does, and an offer to index the folder. */
export function createWelcome({ count, onIndex }: WelcomeDeps) {
  const node = element("section", "jp-celrec-Welcome");
  node.setAttribute("aria-label", "Welcome");
  node.hidden = true;
  const close = () => {
    node.hidden = true;
  };
  return {
    node,
    async show(): Promise<void> {
      const keeps = element("input", "");
      keeps.type = "checkbox";
      keeps.checked = true;
      const found = await count();
      const name = found === 1 ? "Index the notebook in this folder" : `Index the ${found} notebooks in this folder`;
      const index = button(name, name, () => {
        close();
        onIndex(keeps.checked);
      });
      const offer = found === 0 ? [] : [element("label", "", keeps, "Update the index on save"), index];
      node.replaceChildren(element("p", "", SENTENCE), ...offer, button("Not now", "Close this", close));
      node.hidden = false;
    },
  };
}
