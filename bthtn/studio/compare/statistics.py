"""Paired statistics of the registered measures, by scipy and statsmodels.

truth     share of seeds in which it holds; exact test of McNemar
number    mean; permutation test of the mean difference, which changes signs at random
both      bootstrap interval of the difference of b and a
all       Holm's correction over the measures that were registered
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bthtn.studio.batch.workers import package_of

HOW: Final = "pip install 'bthtn[compare]'"
CONFIDENCE: Final = 0.95
_RESAMPLING: Final[Mapping[str, Any]] = {"n_resamples": 9_999, "batch": 64, "rng": 0}
"""How many resamples are drawn, how many of them are in memory at once, and the seed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one measure over all seeds; ``only_a`` and ``only_b`` are where it is larger.

    ``left_out`` counts seeds in which a side has no value. ``p`` is corrected over all measures,
    and ``is_significant`` whether it is below one minus the confidence.
    """

    measure: str
    seeds: int
    left_out: int
    a: float
    b: float
    only_a: int
    only_b: int
    low: float
    high: float
    p_alone: float
    p: float = 1.0
    is_significant: bool = False


def findings(rows: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> list[Finding]:
    """The results of the measures. Raises InputError if scipy or statsmodels is not installed."""
    multitest = package_of("statsmodels.stats.multitest", HOW)
    found = [_finding(rows, text) for text in measures]
    if not found:
        return []
    rejected, corrected, *_ = multitest.multipletests(
        [result.p_alone for result in found], alpha=1 - CONFIDENCE, method="holm"
    )
    return [
        replace(result, p=float(p), is_significant=bool(is_below))
        for result, p, is_below in zip(found, corrected, rejected, strict=True)
    ]


def _finding(rows: Sequence[Mapping[str, Any]], text: str) -> Finding:
    numpy = package_of("numpy", HOW)
    pairs = [(row[f"a.{text}"], row[f"b.{text}"]) for row in rows]
    known = [pair for pair in pairs if None not in pair]
    a, b = numpy.array([*zip(*known, strict=True)] or [(), ()], dtype=float)
    difference = b - a
    is_truth = all(isinstance(value, bool) for pair in known for value in pair)
    low, high = _interval(difference)
    return Finding(
        measure=text,
        seeds=len(known),
        left_out=len(pairs) - len(known),
        a=float(a.mean()) if known else 0.0,
        b=float(b.mean()) if known else 0.0,
        only_a=int((difference < 0).sum()),
        only_b=int((difference > 0).sum()),
        low=low,
        high=high,
        p_alone=_mcnemar(a, b) if is_truth else _permutation(difference),
    )


def _mcnemar(a: Any, b: Any) -> float:
    tables = package_of("statsmodels.stats.contingency_tables", HOW)
    table = [[int(((a == x) & (b == y)).sum()) for y in (1, 0)] for x in (1, 0)]
    return float(tables.mcnemar(table, exact=True).pvalue)


def _mean(sample: Any, axis: int) -> Any:
    return sample.mean(axis=axis)


def _permutation(difference: Any) -> float:
    stats = package_of("scipy.stats", HOW)
    if not difference.any():
        return 1.0
    found = stats.permutation_test(
        (difference,), _mean, permutation_type="samples", vectorized=True, **_RESAMPLING
    )
    return float(found.pvalue)


def _interval(difference: Any) -> tuple[float, float]:
    stats = package_of("scipy.stats", HOW)
    if len(set(difference.tolist())) < 2:  # noqa: PLR2004 - all the same: nothing to resample
        same = float(difference[0]) if len(difference) else 0.0
        return same, same
    found = stats.bootstrap(
        (difference,),
        _mean,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        **_RESAMPLING,
    )
    low, high = found.confidence_interval
    return float(low), float(high)
