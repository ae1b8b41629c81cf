"""What stops a start."""


class EmbeddedError(Exception):
    """Its text is for the person at the terminal: what is wrong, and what to do."""
