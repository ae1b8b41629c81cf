import errno
from typing import Any

from processing.confined.walls import seccomp


def refuse(*_: Any) -> Any:
    raise OSError(errno.ENOSYS, "Function not implemented")


vars(seccomp)["build_allow_filter"] = refuse
