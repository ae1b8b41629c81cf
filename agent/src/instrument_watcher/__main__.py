"""instrument-watcher, also as `python -m instrument_watcher`."""

from instrument_watcher.cli.main import main

if __name__ == "__main__":
    main()
