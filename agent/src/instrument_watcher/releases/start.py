"""Runs one version of the agent: `python start.py FOLDER ARGUMENTS…`. FOLDER is what Python imports the version from.

A script, called by its path, of the base. Its packages come before all others, pywin32's with their .pth file; that of
the base must not be found first, nor this script's neighbours.
"""

import site
import sys
from pathlib import Path


def main() -> None:
    folder, here = sys.argv.pop(1), Path(__file__).resolve().parent
    known = [entry for entry in sys.path if Path(entry).resolve() != here]
    sys.path[:] = []
    site.addsitedir(folder)
    sys.path += known
    from instrument_watcher.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
