"""One vector and two weights per piece; a text is the normalised sum of count x weight x vector."""

import time

import numpy as np
import torch
import torch.nn.functional as F

from .pairs import Bag, Pair, Sampler

# Weight of the cell before and of the Markdown above in a query's vector; the recommender uses the same weight.
CONTEXT = 0.3


class Model(torch.nn.Module):
    def __init__(self, idf: np.ndarray, dimensions: int):
        super().__init__()
        self.vectors = torch.nn.Parameter(torch.randn(len(idf), dimensions) / dimensions**0.5)
        start = torch.log(torch.tensor(idf, dtype=torch.float32).clamp(min=0.3))
        self.weights = torch.nn.ParameterDict(
            {role: torch.nn.Parameter(start.clone()) for role in ("query", "cell")}
        )
        self.scale = torch.nn.Parameter(torch.tensor(np.log(15.0), dtype=torch.float32))

    def embed(self, bags: list[Bag], role: str) -> torch.Tensor:
        pieces = torch.from_numpy(np.concatenate([bag[0] for bag in bags]))
        counts = torch.from_numpy(np.concatenate([bag[1] for bag in bags]))
        starts = torch.from_numpy(np.cumsum([0, *(len(bag[0]) for bag in bags[:-1])]))
        weights = counts * torch.exp(self.weights[role])[pieces]
        summed = F.embedding_bag(pieces, self.vectors, starts, mode="sum", per_sample_weights=weights)
        return F.normalize(summed, dim=1)

    def loss(self, pairs: list[Pair]) -> torch.Tensor:
        query = self.embed([pair.query for pair in pairs], "query")
        before = self.embed([pair.before for pair in pairs], "query")
        markdown = self.embed([pair.markdown for pair in pairs], "query")
        cell = self.embed([pair.cell for pair in pairs], "cell")
        query = F.normalize(query + CONTEXT * (before + markdown), dim=1)
        scores = query @ cell.T * torch.exp(self.scale)
        ids = np.array([pair.id for pair in pairs])
        same = torch.from_numpy((ids[:, None] == ids[None, :]) & ~np.eye(len(ids), dtype=bool))
        scores = scores.masked_fill(same, -1e4)
        target = torch.arange(len(pairs))
        return (F.cross_entropy(scores, target) + 0.3 * F.cross_entropy(scores.T, target)) / 1.3


def train(model: Model, sampler: Sampler, steps: int, near: float, rate: float, batch: int, log) -> None:
    optimizer = torch.optim.Adam(
        [
            {"params": [model.vectors], "lr": rate},
            {"params": [*model.weights.values(), model.scale], "lr": 2 * rate},
        ],
        betas=(0.9, 0.99),
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 50) * (0.02 + 0.98 * (1 - step / steps))
    )
    started = time.time()
    total = 0.0
    for step in range(1, steps + 1):
        optimizer.zero_grad(set_to_none=True)
        loss = model.loss(sampler.batch(batch, near))
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % 100 == 0:
            scale = torch.exp(model.scale).item()
            log(f"step {step}: loss {total / 100:.3f}, scale {scale:.1f}, {time.time() - started:.0f} s")
            total = 0.0
