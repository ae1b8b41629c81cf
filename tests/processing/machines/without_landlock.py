import errno
from typing import Any

from processing.confined.walls import landlock


def refuse(*_: Any) -> Any:
    raise OSError(errno.ENOSYS, "Function not implemented")


vars(landlock)["create_ruleset"] = refuse
