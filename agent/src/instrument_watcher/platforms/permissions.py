"""Who may read a secret file.

Linux: mode 0600. Windows: icacls, which takes inherited rights away and grants them to the user, to administrators and
to SYSTEM, under which services run; all by their identifiers, which are the same in every language (Microsoft Learn,
"icacls", "Well-known SIDs"). Wine takes the call and does nothing with it.
"""

import stat
import subprocess
import sys
from pathlib import Path

if sys.platform == "win32":
    import win32api
    import win32con
    import win32security

    ADMINISTRATORS, SYSTEM = "S-1-5-32-544", "S-1-5-18"

    def restrict_to_user(path: Path) -> None:
        """A folder's rights hold for what will be in it."""
        inherited = "(OI)(CI)" if path.is_dir() else ""
        grants = [f"*{sid}:{inherited}F" for sid in (_user(), ADMINISTRATORS, SYSTEM)]
        command = ["icacls", str(path), "/inheritance:r", "/grant:r", *grants]
        subprocess.run(command, check=True, capture_output=True)

    def _user() -> str:
        token = win32security.OpenProcessToken(win32api.GetCurrentProcess(), win32con.TOKEN_QUERY)
        user = win32security.GetTokenInformation(token, win32security.TokenUser)[0]
        return str(win32security.ConvertSidToStringSid(user))

else:

    def restrict_to_user(path: Path) -> None:
        path.chmod(0o700 if path.is_dir() else 0o600)


def others_may_read(path: Path) -> bool:
    """Whether somebody else on this machine could read the file. Windows is believed."""
    return sys.platform != "win32" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
