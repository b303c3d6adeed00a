import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { Revision, StoredCell } from "../store/vector-store.js";
import { labelStored } from "./prepare.js";

/** Labels and embeds stored cells anew, for `VectorStore.rewrite`. */
export function createRevise(
  { embedder, labeller }: { embedder: Embedder; labeller: Labeller },
  onRevised: (cells: number) => void = () => {},
): (cells: readonly StoredCell[]) => Promise<Revision[]> {
  return async (cells) => {
    const vectors = await embedder.embed(
      cells.map(({ clean }) => clean),
      "cell",
    );
    onRevised(cells.length);
    return cells.map(({ clean }, place) => {
      const vector = vectors[place];
      return vector == null ? null : { ...labelStored(clean, labeller), vector };
    });
  };
}
