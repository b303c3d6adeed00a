import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { ICommandPalette } from "@jupyterlab/apputils";
import type { Offer } from "./offers.js";

/** The action of each command. Commands of a card receive the offer of the card with that number. */
export interface CommandDeps {
  readonly app: JupyterFrontEnd;
  readonly palette: ICommandPalette | null;
  readonly offer: (rank: number) => Offer | undefined;
  readonly onOffer: Readonly<Record<string, { readonly label: string; readonly act: (offer: Offer) => void }>>;
  readonly plain: Readonly<Record<string, { readonly label: string; readonly act: () => void }>>;
}

export function addCommands({ app, palette, offer, onOffer, plain }: CommandDeps): void {
  const rankOf = (args: { rank?: unknown }) => Number(args.rank ?? 1);
  for (const [name, { label, act }] of Object.entries(onOffer)) {
    app.commands.addCommand(`celrec:${name}`, {
      label: (args) => label.replace("#", String(rankOf(args))),
      isEnabled: (args) => offer(rankOf(args)) !== undefined,
      describedBy: {
        args: { type: "object", properties: { rank: { type: "integer", description: "Which recommendation" } } },
      },
      execute: (args) => {
        const found = offer(rankOf(args));
        if (found !== undefined) act(found);
      },
    });
    for (const rank of [1, 2, 3]) palette?.addItem({ command: `celrec:${name}`, category: "celrec", args: { rank } });
  }
  for (const [name, { label, act }] of Object.entries(plain)) {
    app.commands.addCommand(`celrec:${name}`, { label, execute: act });
    palette?.addItem({ command: `celrec:${name}`, category: "celrec" });
  }
}
