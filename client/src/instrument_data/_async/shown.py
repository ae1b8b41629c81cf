"""What only one face can have: `len()` and a table in a notebook cannot wait. Written by hand in both."""

from __future__ import annotations


class Counted:
    """Ask with `await runs.count()`."""
