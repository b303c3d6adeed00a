import { Command } from "commander";
import { assetPath } from "../../config.js";
import { describeMissingPackage } from "../../embed/codebert.js";
import { pullModel } from "../../embed/pull-model.js";
import type { Context, Run } from "../context.js";
import { createProgress } from "../progress.js";

interface Options {
  readonly from?: string;
  readonly quantized?: true;
}

const MEGABYTE = 1_000_000;

export function modelCommand(run: Run): Command {
  const pull = new Command("pull")
    .argument("<name>", "codebert, or a hub id such as owner/name")
    .description("download a model from the hub (or HF_ENDPOINT) into the data folder, or copy it from a folder")
    .option(
      "--from <folder>",
      "copy the model from a folder with ONNX files, or convert it from PyTorch (needs Python)",
    )
    .option("--quantized", "use int8 weights: a quarter of the size, twice as fast, slightly less accurate")
    .action(run(pullNamed));
  return new Command("model").description("manage models that are not shipped with celrec").addCommand(pull);
}

async function pullNamed({ config, output, signal }: Context, name: string, { from, quantized }: Options) {
  const progress = createProgress("MB", null);
  try {
    const pulled = await pullModel({
      name,
      ids: config.modelIds,
      hub: config.hub,
      dataFolder: config.data,
      quantized: quantized === true,
      converter: assetPath("scripts/convert-codebert.py"),
      ...(from !== undefined && { from }),
      signal,
      onNote: output.note,
      onProgress({ file, done, total }) {
        if (total !== null) progress.expect(Math.ceil(total / MEGABYTE));
        progress.update(Math.floor(done / MEGABYTE), file);
      },
    });
    const { folder, origin, dimensions, revision, isQuantised, isNew } = pulled;
    output.document({ name, folder, origin, dimensions, revision, quantized: isQuantised, isNew });
    const how = isNew ? `${name} from ${origin} is in ${folder}` : `${name} is in ${folder} already`;
    output.line(`${how}: ${dimensions} dimensions, ${isQuantised ? "int8" : "fp32"}, revision ${revision}.`);
    output.line("Use it with --preset paper, or with --embedder codebert.");
    const missing = await describeMissingPackage(pulled.onnx);
    if (missing !== null) output.note(missing);
    return 0;
  } finally {
    progress.end();
  }
}
