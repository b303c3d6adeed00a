# Makes the folder for CELREC_MODEL. Run once on a machine that can reach the hub or has the model on disk.
"""Converts microsoft/codebert-base, or another RoBERTa encoder, to the folder that celrec's CodeBERT embedder reads.

    pip install torch transformers onnx onnxruntime
    python scripts/convert-codebert.py models-local/codebert
    python scripts/convert-codebert.py models-local/codebert-int8 --quantize
    python scripts/convert-codebert.py models-local/mine --model path/to/a/transformers/folder

The folder holds config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx (or onnx/model_quantized.onnx).
Before it is put in place, the ONNX file is compared with PyTorch on a padded batch; a difference ends the script.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy
import onnx
import onnxruntime
import torch
from transformers import AutoModel, AutoTokenizer

# The onnxruntime-node 1.14 in @xenova/transformers 2.17 reads ONNX IR up to 8 and opset up to 18.
IR_VERSION = 8
OPSET = 14
TOLERANCE = 1e-4
# int8 weights change every vector slightly; a lower cosine means that the conversion failed.
QUANTIZED_COSINE = 0.9
PROBES = ["def max(a,b): return a if a > b else b", "x = 1", "import pandas as pd\ndf = pd.read_csv('train.csv')"]


class LastHiddenState(torch.nn.Module):
    """The encoder with one output: the pooler is left out, since its weights are random in CodeBERT."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids, attention_mask):
        return self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def convert(source: str, target: Path, quantize: bool = False) -> None:
    """Writes the model folder atomically: `target` is either complete or missing."""
    if target.exists() and any(target.iterdir()):
        sys.exit(f"{target} exists and is not empty; name a new folder, or remove it first")
    try:
        encoder = AutoModel.from_pretrained(source, attn_implementation="eager").float().eval()
        tokenizer = AutoTokenizer.from_pretrained(source, use_fast=True)
    except (OSError, ValueError) as error:
        sys.exit(f"{source} cannot be loaded: {error}")
    if encoder.config.model_type != "roberta":
        sys.exit(f"{source} is a {encoder.config.model_type} model; celrec reads RoBERTa encoders such as CodeBERT")

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        folder = Path(scratch) / "model"
        (folder / "onnx").mkdir(parents=True)
        write_config(encoder.config, source, folder)
        write_tokenizer(tokenizer, folder)
        full = export(encoder, folder / "onnx" / "model.onnx")
        check_equal(encoder, tokenizer, full)
        if quantize:
            check_close(tokenizer, full, quantize_weights(full, folder / "onnx" / "model_quantized.onnx"))
            full.unlink()
        if target.exists():
            target.rmdir()
        shutil.move(folder, target)


def write_config(config, source: str, folder: Path) -> None:
    values = config.to_dict()
    # The name becomes part of the embedder's id, so it must not contain a path of this machine.
    values["_name_or_path"] = Path(source).name if Path(source).exists() else source
    write_json(folder / "config.json", values)


def write_tokenizer(tokenizer, folder: Path) -> None:
    values = json.loads(tokenizer.backend_tokenizer.to_str())
    if values["model"]["type"] != "BPE":
        sys.exit(f"the tokenizer is of type {values['model']['type']}; a RoBERTa tokenizer is byte-level BPE")
    # Recent tokenizers write a merge as a pair; transformers.js 2.17 reads only the older "a b".
    values["model"]["merges"] = [
        merge if isinstance(merge, str) else " ".join(merge) for merge in values["model"]["merges"]
    ]
    # The embedder cuts and pads by itself.
    values["truncation"] = values["padding"] = None
    write_json(folder / "tokenizer.json", values)
    names = ["bos_token", "eos_token", "unk_token", "sep_token", "cls_token", "pad_token", "mask_token"]
    write_json(
        folder / "tokenizer_config.json",
        {"tokenizer_class": "RobertaTokenizer", "model_max_length": tokenizer.model_max_length}
        | {name: str(getattr(tokenizer, name)) for name in names},
    )


def write_json(path: Path, values: dict) -> None:
    path.write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def export(encoder, path: Path) -> Path:
    example = torch.tensor([[0, 5, 6, 2], [0, 5, 2, 1]])
    free = {0: "batch", 1: "tokens"}
    with torch.no_grad():
        # Uses the tracing exporter, because the newer one writes a later opset and keeps large weights in a second file.
        torch.onnx.export(
            # The wrapper must be in eval mode, too: the exporter applies its mode to the encoder, and dropout is active in training.
            LastHiddenState(encoder).eval(),
            (example, (example != 1).long()),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["last_hidden_state"],
            dynamic_axes={"input_ids": free, "attention_mask": free, "last_hidden_state": free},
            opset_version=OPSET,
            dynamo=False,
        )
    return set_ir(path)


def quantize_weights(full: Path, path: Path) -> Path:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(full, path, weight_type=QuantType.QInt8)
    return set_ir(path)


def set_ir(path: Path) -> Path:
    model = onnx.load(path)
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def check_equal(encoder, tokenizer, path: Path) -> None:
    """Compares the outputs on a padded batch, because an error in the traced mask only shows with padding."""
    ids, mask = probe(tokenizer)
    with torch.no_grad():
        expected = encoder(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask)).last_hidden_state.numpy()
    worst = float(numpy.abs(run(path, ids, mask) - expected)[mask == 1].max())
    if worst > TOLERANCE:
        sys.exit(f"the ONNX file differs from PyTorch by {worst:.2g}; nothing was written")
    print(f"equal to PyTorch within {worst:.2g}", file=sys.stderr)


def check_close(tokenizer, full: Path, quantized: Path) -> None:
    ids, mask = probe(tokenizer)
    means = [(run(path, ids, mask) * mask[..., None]).sum(axis=1) for path in (full, quantized)]
    norms = numpy.linalg.norm(means[0], axis=1) * numpy.linalg.norm(means[1], axis=1)
    worst = float(((means[0] * means[1]).sum(axis=1) / norms).min())
    if worst < QUANTIZED_COSINE:
        sys.exit(f"the quantised vectors are too far from the full ones (cosine {worst:.3f}); nothing was written")
    print(f"quantised: cosine with the full model at least {worst:.3f}", file=sys.stderr)


def probe(tokenizer):
    batch = tokenizer(PROBES, padding=True, return_tensors="np")
    return batch["input_ids"].astype(numpy.int64), batch["attention_mask"].astype(numpy.int64)


def run(path: Path, ids, mask):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(["last_hidden_state"], {"input_ids": ids, "attention_mask": mask})[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Converts a RoBERTa encoder to the folder that CELREC_MODEL names.")
    parser.add_argument("target", type=Path, help="the folder to write")
    parser.add_argument("--model", default="microsoft/codebert-base", help="hub id or transformers folder (%(default)s)")
    parser.add_argument("--quantize", action="store_true", help="int8 weights: a quarter of the size, slightly other vectors")
    arguments = parser.parse_args()
    convert(arguments.model, arguments.target, arguments.quantize)
    print(f"CELREC_EMBEDDER=codebert CELREC_MODEL={arguments.target}")
