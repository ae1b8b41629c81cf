"""`python -m web …`: uvicorn and its options, in a process that nobody else of its user can look into.

The application asks for that, too; but with several workers this process, which never loads it, knows the secrets.
"""

import os

import uvicorn

from web.calm_server import use_calm_server
from wire.kernel import forbid_inspection

if __name__ == "__main__":
    forbid_inspection()
    trusted = os.environ.get("TRUSTED_PROXIES") or "127.0.0.1"
    os.environ.setdefault("FORWARDED_ALLOW_IPS", trusted)  # uvicorn's name of it, where no option says
    use_calm_server()
    uvicorn.main()
