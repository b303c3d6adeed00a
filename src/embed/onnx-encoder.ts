import type { Encoder, Tokenizer } from "./embed-texts.js";
import { type ModelFolder, unreadable } from "./model-folder.js";

/** What we use of onnxruntime-node. */
export interface OnnxRuntime {
  readonly Tensor: new (type: "int64", data: BigInt64Array, shape: readonly number[]) => OnnxTensor;
  readonly InferenceSession: { create(path: string, options: { logSeverityLevel: number }): Promise<OnnxSession> };
}

interface OnnxTensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

interface OnnxSession {
  run(inputs: Record<string, OnnxTensor>): Promise<Record<string, OnnxTensor | undefined>>;
}

/** It also throws what it would print. */
const SILENT = 4;

export async function openEncoder(model: ModelFolder, tokenizer: Tokenizer, runtime: OnnxRuntime): Promise<Encoder> {
  const corrupt = (cause: unknown) => {
    throw unreadable(model.onnx, cause);
  };
  const session = await runtime.InferenceSession.create(model.onnx, { logSeverityLevel: SILENT }).catch(corrupt);
  return {
    tokenizer,
    dimensions: model.dimensions,
    window: model.window,
    // int8 scales are taken over the whole batch, so a neighbour would change a text's vector.
    rowsPerBatch: model.isQuantised ? 1 : Number.POSITIVE_INFINITY,
    async run(rows) {
      const tokensPerRow = Math.max(...rows.map((row) => row.length));
      const output = await session.run(padRows(rows, tokensPerRow, model.padding, runtime)).catch(corrupt);
      const states = output.last_hidden_state;
      const shape = [rows.length, tokensPerRow, model.dimensions];
      if (!(states?.data instanceof Float32Array) || states.dims.join() !== shape.join())
        return corrupt(new Error(`no last_hidden_state with ${model.dimensions} float32 numbers a token`));
      return { data: states.data, tokensPerRow };
    },
  };
}

function padRows(rows: readonly (readonly number[])[], tokensPerRow: number, padding: number, { Tensor }: OnnxRuntime) {
  const shape = [rows.length, tokensPerRow];
  const ids = new BigInt64Array(rows.length * tokensPerRow).fill(BigInt(padding));
  const mask = new BigInt64Array(ids.length);
  rows.forEach((row, index) => {
    ids.set(row.map(BigInt), index * tokensPerRow);
    mask.fill(1n, index * tokensPerRow, index * tokensPerRow + row.length);
  });
  return { input_ids: new Tensor("int64", ids, shape), attention_mask: new Tensor("int64", mask, shape) };
}
