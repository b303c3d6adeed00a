# Run after a change of convert-codebert.py or of the pooling: makes the tiny RoBERTa in test/fixtures again.
"""Makes test/fixtures/tiny-roberta: a RoBERTa with random weights that is small enough to commit, converted by
convert-codebert.py, and vectors.json with what PyTorch computes for it, so that the tests need no PyTorch.

    pip install torch transformers onnx onnxruntime
    python scripts/make-tiny-roberta.py
"""

import json
import runpy
import shutil
import tempfile
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

SCRIPTS = Path(__file__).resolve().parent
FIXTURES = SCRIPTS.parent / "test" / "fixtures"
SPECIAL_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
CORPUS = """import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
df = pd.read_csv("train.csv")
df.head()
df.describe()
df["age"] = df["age"].fillna(df["age"].mean())
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2)
model = LogisticRegression()
model.fit(X_train, y_train)
print(model.score(X_test, y_test))
plt.plot(history["loss"])
plt.show()
for i in range(10):
    print(i, df.iloc[i])
def max(a, b):
    return a if a > b else b
"""
# 66 positions, of which RoBERTa uses 64: a cell of a few lines already needs windows.
POSITIONS = 66
WINDOW = POSITIONS - 2
TEXTS = {
    "one line": "df.head()",
    "function": "def max(a,b):",
    "cell": 'df = pd.read_csv("train.csv")\ndf["age"] = df["age"].fillna(0)',
    "indented": "for i in range(10):\n    if i > 3:\n        print(i)",
    "unknown words": "Zyklus = quatsch(Überraschung)",
    "unicode": 'title = "日本語 🐍 naïve ½ \u200b"',
    "replacement character": "bad = '\ufffd'",
    "special tokens": 'html = "<s>old</s> <mask> <pad>"',
    "whitespace": "a  =\t1\n\n\n   b",
    "empty": "",
    "exactly one window": "a" * (WINDOW - 2),
    "one token more": "a" * (WINDOW - 1),
    "three windows": CORPUS[: len(CORPUS) * 2 // 3],
    "many windows": CORPUS * 3,
}
CLS_TEXTS = ["one line", "unicode", "three windows"]


def main() -> None:
    convert = runpy.run_path(str(SCRIPTS / "convert-codebert.py"))["convert"]
    target = FIXTURES / "tiny-roberta"
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "tiny-roberta"
        tokenizer = make_tokenizer(Path(scratch), source)
        model = make_model(len(tokenizer), source)
        shutil.rmtree(target, ignore_errors=True)
        convert(str(source), target)
        convert(str(source), Path(scratch) / "int8", quantize=True)
        shutil.copy(Path(scratch) / "int8" / "onnx" / "model_quantized.onnx", FIXTURES / "tiny-roberta-int8.onnx")
    cases = [case(name, text, tokenizer, model) for name, text in TEXTS.items()]
    document = {"generated": "by scripts/make-tiny-roberta.py; do not edit", "window": WINDOW, "cases": cases}
    (target / "vectors.json").write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")


def make_tokenizer(scratch: Path, source: Path):
    trained = ByteLevelBPETokenizer()
    # "aa" is not a merge, because the cases for windows need one token per character.
    trained.train_from_iterator(CORPUS.splitlines(), vocab_size=400, min_frequency=2, special_tokens=SPECIAL_TOKENS)
    trained.save_model(str(scratch))
    vocab = json.loads((scratch / "vocab.json").read_text(encoding="utf-8"))
    lines = (scratch / "merges.txt").read_text(encoding="utf-8").splitlines()
    merges = [tuple(line.split(" ")) for line in lines if not line.startswith("#")]
    tokenizer = RobertaTokenizerFast(vocab=vocab, merges=merges, model_max_length=WINDOW)
    tokenizer.save_pretrained(source)
    return tokenizer


def make_model(vocabulary: int, source: Path):
    torch.manual_seed(7)
    config = RobertaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        # Large enough for attention to matter: with RoBERTa's .02, all texts get nearly the same vector.
        initializer_range=0.4,
    )
    model = RobertaModel(config, add_pooling_layer=False).eval()
    model.save_pretrained(source)
    return model


def case(name: str, text: str, tokenizer, model) -> dict:
    ids = tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids
    result = {"name": name, "text": text, "ids": ids, "mean": vector(ids, model, "mean")}
    return result | ({"cls": vector(ids, model, "cls")} if name in CLS_TEXTS else {})


def vector(ids: list[int], model, pooling: str) -> list[float] | None:
    """Every window by itself, so no padding is involved; the windows' vectors are averaged by their token counts."""
    if not ids:
        return None
    room = WINDOW - 2
    windows = [[0, *ids[at : at + room], 2] for at in range(0, len(ids), room)]
    total = torch.zeros(model.config.hidden_size, dtype=torch.float64)
    for window in windows:
        with torch.no_grad():
            states = model(input_ids=torch.tensor([window])).last_hidden_state[0].double()
        total += (states.mean(dim=0) if pooling == "mean" else states[0]) * len(window)
    mean = total / sum(len(window) for window in windows)
    return [round(value, 7) for value in (mean / mean.norm()).tolist()]


if __name__ == "__main__":
    main()
