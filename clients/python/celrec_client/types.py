"""The types of requests and answers, as in the API document."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

Mode = Literal["auto", "similar", "complete", "next"]
Event = Literal["shown", "accepted", "edited", "dismissed"]
Notebook = Mapping[str, Any]


class Context(TypedDict, total=False):
    before: Sequence[str]
    after: Sequence[str]
    markdown: str
    variables: Mapping[str, Any]


class RecommendFields(TypedDict, total=False):
    suffix: str
    k: int
    label: str
    filter: Literal["strict", "soft", "off"]
    mode: Mode
    sources: Sequence[str]
    minVotes: int
    diversity: float
    minConfidence: float
    context: Context
    explain: bool
    collapse: bool
    exclude: Mapping[str, Sequence[Union[str, Mapping[str, str]]]]


class CompleteFields(TypedDict, total=False):
    suffix: str
    k: int
    maxLines: int
    minConfidence: float
    fallbackConfidence: float
    context: Context


class SearchFields(TypedDict, total=False):
    k: int
    label: str
    sources: Sequence[str]
    minVotes: int


class LabelProbability(TypedDict):
    label: str
    probability: float


class Lines(TypedDict):
    start: int
    end: int


class Line(TypedDict):
    line: int
    text: str


class Adapted(TypedDict):
    code: str
    insert: str
    renamed: Dict[str, str]


class Recommendation(TypedDict):
    rank: int
    id: str
    code: str
    matched: List[Lines]
    insert: str
    continuesLine: bool
    excerpt: List[Line]
    adapted: Adapted
    score: float
    confidence: Optional[float]
    labels: List[str]
    occurrences: int
    notebook: Dict[str, Any]


class Query(TypedDict):
    primary: Optional[str]
    labels: List[LabelProbability]


class Answer(TypedDict):
    id: str
    query: Query
    mode: Literal["similar", "complete", "next"]
    highestConfidence: Optional[float]
    widened: bool
    recommendations: List[Recommendation]
    took: Dict[str, float]


# `from` is a Python keyword, so this type cannot be written as a class.
Completion = TypedDict(
    "Completion",
    {
        "text": str,
        "confidence": float,
        "kind": Literal["token", "line", "block"],
        "from": Literal["notebook", "index", "prior"],
        "cells": List[str],
    },
)


class Completions(TypedDict):
    id: str
    completions: List[Completion]
    took: Dict[str, float]
