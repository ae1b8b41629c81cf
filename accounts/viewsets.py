"""What every viewset of the API does alike."""

from functools import partial
from typing import Any

from rest_framework import viewsets
from rest_framework.request import Request

from accounts.callers import Caller
from accounts.idempotency import Asker, answer_once, asker_of, read_key
from wire.clock import now


class ViewSet(viewsets.ViewSet):
    """A POST under an Idempotency-Key is done once, when its caller was found good."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        asker = self.find_asker(request) if request.method == "POST" else None
        if asker is None:
            return
        key = read_key(request)
        if key is not None:
            self.post = partial(self._post_once, self.post, key, asker)  # type: ignore[has-type]  # the action, as DRF sets it

    def find_asker(self, request: Request) -> Asker | None:
        """Whose keys a request may use; None where nobody is known by whom."""
        return asker_of(request.auth) if isinstance(request.auth, Caller) else None

    def _post_once(self, handle: Any, key: str, by: Asker, request: Request, *args: Any, **kwargs: Any) -> Any:
        return answer_once(request, partial(handle, request, *args, **kwargs), key=key, by=by, at=now())
