"""Which release this is, as requests say it."""

from instrument_data import __version__

USER_AGENT = f"instrument-data/{__version__}"
