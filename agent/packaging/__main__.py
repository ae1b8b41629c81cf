"""Builds what is handed out: `python -m agent.packaging [KIND …] [--out DIR]`, in the checkout."""

import argparse
import sys
from pathlib import Path

from agent.packaging.downloads import IndexAway
from agent.packaging.installer import ToolMissing, build_installer
from agent.packaging.linux_packages import build_deb, build_tar
from agent.packaging.updates import build_update

CACHE = Path("var/cache/windows")
BUILDERS = {"update": build_update, "windows": build_installer, "deb": build_deb, "tar": build_tar}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m agent.packaging", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(BUILDERS)}; all where none is named")
    parser.add_argument("--out", type=Path, default=Path("var/packages"), metavar="DIR", help="default: %(default)s")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="DIR", help="default: %(default)s")
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(BUILDERS):
        parser.error(f"{', '.join(sorted(unknown))}: no such kind")
    options.out.mkdir(parents=True, exist_ok=True)
    for kind in options.kinds or BUILDERS:
        try:
            print(BUILDERS[kind](options.out, cache=options.cache))
        except (IndexAway, ToolMissing) as absent:
            sys.exit(f"{kind}: {absent}")


if __name__ == "__main__":
    main()
