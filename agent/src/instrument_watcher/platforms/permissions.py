"""Who may read a secret file.

Linux: mode 0600. Windows: icacls, which takes inherited rights away and grants them to the user and to SYSTEM, under
which services run (Microsoft Learn, "icacls"; *S-1-5-18 is SYSTEM's well-known identifier). That branch was not run.
"""

import getpass
import os
import stat
import subprocess
import sys
from pathlib import Path


def restrict_to_user(path: Path) -> None:
    if sys.platform == "win32":
        user = f"{os.environ.get('USERDOMAIN', '.')}\\{getpass.getuser()}"
        grants = ["/inheritance:r", "/grant:r", f"{user}:F", "*S-1-5-18:F"]
        subprocess.run(["icacls", str(path), *grants], check=True, capture_output=True)
    else:
        path.chmod(0o600)


def others_may_read(path: Path) -> bool:
    """Whether somebody else on this machine could read the file. Windows is believed."""
    return sys.platform != "win32" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
