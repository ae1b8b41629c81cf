"""How far an empty service is on the way to its first run: a token, an agent that calls, a confirmed instrument."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.callers import Caller
from accounts.models import Token
from accounts.scopes import Scope
from accounts.tokens import list_tokens
from instruments.models import Instrument, InstrumentStatus
from watchers.models import Watcher


@dataclass(frozen=True)
class FirstSteps:
    """What is there of each step, newest first."""

    token: Token | None = None
    watcher: Watcher | None = None
    pending: Instrument | None = None
    confirmed: Instrument | None = None

    @property
    def is_by_hand(self) -> bool:
        """There is an instrument for files, and no watcher that sends any."""
        return self.confirmed is not None and self.watcher is None

    @property
    def states(self) -> Sequence[str]:
        """done, now or later, for each of the three steps; a later one that is done means the earlier ones are."""
        is_confirmed = self.confirmed is not None and not self.is_by_hand
        has = (self.token is not None, self.watcher is not None, is_confirmed)
        done = [any(has[number:]) for number in range(len(has))]
        now = done.index(False) if False in done else len(done) - 1
        return ["now" if number == now else "done" if is_done else "later" for number, is_done in enumerate(done)]


def read_first_steps(*, by: Caller) -> FirstSteps:
    instruments = Instrument.objects.visible_to(by).order_by("-created_at", "id")
    tokens = list_tokens(by=by).filter(scopes__contains=[Scope.WATCHERS_REPORT])
    return FirstSteps(
        token=tokens.first(),
        watcher=Watcher.objects.visible_to(by).active().with_details().order_by("-created_at", "-id").first(),
        pending=instruments.filter(status=InstrumentStatus.PENDING).first(),
        confirmed=instruments.filter(status=InstrumentStatus.ACTIVE).first(),
    )
