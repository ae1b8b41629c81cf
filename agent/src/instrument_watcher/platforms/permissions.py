"""Who may read a secret file.

Linux: mode 0600. Windows: an access list that inherits nothing and grants everything to the user, to administrators and
to SYSTEM, under which services run; all by their identifiers, which are the same in every language (Microsoft Learn,
"SetNamedSecurityInfo", "Well-known SIDs"). Set by the system's own call: no other program has to start.
"""

import stat
import sys
from pathlib import Path

if sys.platform == "win32":
    import win32api
    import win32con
    import win32file
    import win32security

    ADMINISTRATORS, SYSTEM = "S-1-5-32-544", "S-1-5-18"
    GIVEN_ON = win32security.OBJECT_INHERIT_ACE | win32security.CONTAINER_INHERIT_ACE
    WHAT = win32security.DACL_SECURITY_INFORMATION | win32security.PROTECTED_DACL_SECURITY_INFORMATION

    def restrict_to_user(path: Path) -> None:
        """A folder's rights hold for what will be in it."""
        rights = win32security.ACL()
        for sid in (_user(), *map(win32security.ConvertStringSidToSid, (ADMINISTRATORS, SYSTEM))):
            rights.AddAccessAllowedAceEx(
                win32security.ACL_REVISION_DS, GIVEN_ON if path.is_dir() else 0, win32file.FILE_ALL_ACCESS, sid
            )
        win32security.SetNamedSecurityInfo(str(path), win32security.SE_FILE_OBJECT, WHAT, None, None, rights, None)

    def _user() -> "win32security.PySIDType":
        token = win32security.OpenProcessToken(win32api.GetCurrentProcess(), win32con.TOKEN_QUERY)
        return win32security.GetTokenInformation(token, win32security.TokenUser)[0]

else:

    def restrict_to_user(path: Path) -> None:
        path.chmod(0o700 if path.is_dir() else 0o600)


def others_may_read(path: Path) -> bool:
    """Whether somebody else on this machine could read the file. Windows is believed."""
    return sys.platform != "win32" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
