"""Which release this is, as requests say it."""

__version__ = "0.1.0"
USER_AGENT = f"instrument-data/{__version__}"
