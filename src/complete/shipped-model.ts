import { z } from "zod";
import { manifestSchema, readManifest, readModelFile } from "../embed/model-files.js";
import { RecommenderError } from "../errors.js";
import { packArrays, unpackArrays } from "./arrays-file.js";
import { type Calibration, calibrationSchema } from "./confidence.js";
import type { MixtureWeights } from "./mixture.js";
import { createPriorTrie, type PriorArrays, type PriorTrie } from "./prior.js";
import type { RescoringNet } from "./rescore.js";
import type { NameRoles } from "./roles.js";
import type { ClassPairs } from "./token-classes.js";
import { FEATURE_COUNT } from "./token-features.js";

/** The model that ships with celrec: the prior on the use of libraries, and the weights of the components. */
export interface ShippedModel {
  /** Changes with every training. An index model learnt with another revision is learnt again. */
  readonly revision: string;
  /** The tokens of the prior; token numbers start at 1. */
  readonly vocabulary: readonly string[];
  readonly nameRoles: NameRoles;
  readonly prior: PriorTrie;
  readonly pairs: ClassPairs;
  readonly weights: MixtureWeights;
  readonly net: RescoringNet;
  readonly calibration: Calibration;
}

/** The output of a training run. */
interface TrainedModel extends Omit<ShippedModel, "prior" | "revision"> {
  readonly prior: PriorArrays;
}

const FILE = "model.bin";
const factsSchema = z.object({
  vocabulary: z.array(z.string()),
  nameRoles: z.array(z.tuple([z.string(), z.string()])),
  inputs: z.number().int(),
  hidden: z.number().int(),
  calibration: calibrationSchema,
});

/** Opens a model folder such as `models/complete`. */
export async function openShippedModel(folder: string): Promise<ShippedModel> {
  const manifest = await readManifest(folder, manifestSchema);
  const { facts, arrays } = unpackArrays(
    new Uint8Array(await readModelFile(folder, manifest, FILE)),
    `${folder}/${FILE}`,
  );
  const { vocabulary, nameRoles, inputs, hidden, calibration } = factsSchema.parse(facts);
  if (inputs !== FEATURE_COUNT)
    throw new RecommenderError(
      "MODEL_UNAVAILABLE",
      `${folder} was trained with ${inputs} features, this version has ${FEATURE_COUNT}: train it again with scripts/train-completer.ts.`,
    );
  const int = (name: string) => arrays.get(name) as Int32Array;
  const float = (name: string) => arrays.get(name) as Float32Array;
  const bytes = (name: string) => arrays.get(name) as Uint8Array;
  return {
    revision: manifest.revision,
    vocabulary,
    nameRoles: new Map(nameRoles),
    prior: createPriorTrie({
      tokens: int("tokens"),
      children: int("children"),
      starts: int("starts"),
      totals: float("totals"),
      targets: int("targets"),
      counts: bytes("counts"),
    }),
    pairs: bytes("pairs"),
    weights: { bins: float("bins") },
    net: { inputs, hidden, first: float("first"), firstBias: float("firstBias"), second: float("second") },
    calibration,
  };
}

/** The content of `model.bin`. */
export function packModel({
  vocabulary,
  nameRoles,
  prior,
  pairs,
  weights,
  net,
  calibration,
}: TrainedModel): Uint8Array {
  const { first, firstBias, second, inputs, hidden } = net;
  const facts: z.input<typeof factsSchema> = {
    vocabulary: [...vocabulary],
    nameRoles: [...nameRoles],
    inputs,
    hidden,
    calibration,
  };
  return packArrays(facts, { ...prior, pairs, bins: weights.bins, first, firstBias, second });
}
