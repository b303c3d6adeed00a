import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { ICommandPalette } from "@jupyterlab/apputils";
import type { Recommendation } from "./answers.js";

/** What each command does; those with a hit get the one of the rank that is asked for. */
export interface CommandDeps {
  readonly app: JupyterFrontEnd;
  readonly palette: ICommandPalette | null;
  readonly hit: (rank: number) => Recommendation | undefined;
  readonly onHit: Readonly<Record<string, { readonly label: string; readonly act: (hit: Recommendation) => void }>>;
  readonly plain: Readonly<Record<string, { readonly label: string; readonly act: () => void }>>;
}

export function addCommands({ app, palette, hit, onHit, plain }: CommandDeps): void {
  const rankOf = (args: { rank?: unknown }) => Number(args.rank ?? 1);
  for (const [name, { label, act }] of Object.entries(onHit)) {
    app.commands.addCommand(`celrec:${name}`, {
      label: (args) => label.replace("#", String(rankOf(args))),
      isEnabled: (args) => hit(rankOf(args)) !== undefined,
      describedBy: {
        args: { type: "object", properties: { rank: { type: "integer", description: "Which recommendation" } } },
      },
      execute: (args) => {
        const found = hit(rankOf(args));
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
