"""instrument-watcher, also as `python -m instrument_watcher`."""

from instrument_watcher.entry import main

if __name__ == "__main__":
    main()
