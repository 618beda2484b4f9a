"""Text for people."""

from ledger.split import split_evenly


def format_cents(cents: int) -> str:
    """1234 becomes 12.34, -5 becomes -0.05."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def statement(title: str, total_cents: int, names: list[str]) -> str:
    """One line per person, then the total."""
    shares = split_evenly(total_cents, len(names))
    lines = [f"{name}: {format_cents(share)}" for name, share in zip(names, shares)]
    return "\n".join([title, *lines, f"total: {format_cents(sum(shares))}"])
