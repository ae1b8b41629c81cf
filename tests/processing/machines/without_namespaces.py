import errno
from typing import Any

from processing.confined.walls import namespaces


def refuse(*_: Any) -> Any:
    raise OSError(errno.ENOSYS, "Function not implemented")


vars(namespaces)["enter_own_namespaces"] = refuse
