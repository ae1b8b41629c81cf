import errno
from typing import Any

from processing.confined.walls import privileges


def refuse(*_: Any) -> Any:
    raise OSError(errno.ENOSYS, "Function not implemented")


vars(privileges)["give_up_privileges"] = refuse
