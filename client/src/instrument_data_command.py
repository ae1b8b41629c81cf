"""Where the command `ids-data` begins: Ctrl-C is taken before anything large is loaded."""

import sys


def main() -> None:
    try:
        from instrument_data.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)  # as the command itself ends then
    run()
