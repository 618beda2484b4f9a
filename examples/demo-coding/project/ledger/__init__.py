"""Shared bills in whole cents."""

from ledger.report import format_cents, statement
from ledger.split import split_by_weight, split_evenly

__all__ = ["format_cents", "split_by_weight", "split_evenly", "statement"]
