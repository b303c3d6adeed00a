# For measuring CodeBERT's speed without its weights: a network of the same shape takes the same time.
"""Makes a RoBERTa of CodeBERT's shape (12 layers, 768 dimensions, 50,265 tokens) with random weights, converted by
convert-codebert.py. The tokenizer is RoBERTa's own, from a folder with vocab.json and merges.txt.

    pip install torch transformers onnx onnxruntime
    python scripts/make-random-codebert.py TOKENIZER TARGET             # TARGET/fp32 and TARGET/int8
    npm run bench -- codebert --model TARGET/fp32
"""

import runpy
import sys
import tempfile
from pathlib import Path

import torch
from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

SCRIPTS = Path(__file__).resolve().parent
# RoBERTa's positions start after the padding id, so 514 positions hold 512 tokens.
POSITIONS = 514
WINDOW = POSITIONS - 2


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tokenizer_folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    convert = runpy.run_path(str(SCRIPTS / "convert-codebert.py"))["convert"]
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "codebert-shape"
        tokenizer = RobertaTokenizerFast(
            vocab=str(tokenizer_folder / "vocab.json"),
            merges=str(tokenizer_folder / "merges.txt"),
            model_max_length=WINDOW,
        )
        tokenizer.save_pretrained(source)
        torch.manual_seed(7)
        config = RobertaConfig(
            vocab_size=50265,
            max_position_embeddings=POSITIONS,
            type_vocab_size=1,
            pad_token_id=1,
            bos_token_id=0,
            eos_token_id=2,
        )
        RobertaModel(config, add_pooling_layer=False).eval().save_pretrained(source)
        convert(str(source), target / "fp32")
        convert(str(source), target / "int8", quantize=True)


if __name__ == "__main__":
    main()
