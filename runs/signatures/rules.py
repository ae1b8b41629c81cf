"""What a signature forbids. Signing and revoking: files.signing."""

from uuid import UUID

from runs.models import Run
from runs.signatures.models import Signature
from wire.clock import format_timestamp
from wire.errors import Conflict
from wire.queries.compiled import CompiledQuery

FIRST_SIGNATURE = CompiledQuery(
    lambda run: Signature.objects.filter(run=run, revoked_at__isnull=True).order_by("signed_at", "id")[:1]
)


class RunIsSigned(Conflict):
    def __init__(self, signature: Signature) -> None:
        said = f"The run is signed as {signature.meaning} by {signature.printed_name}: it does not change until that"
        super().__init__(f"{said} is revoked.", signature=describe_signature(signature))


def describe_signature(signature: Signature) -> dict[str, object]:
    """As refusals have it."""
    return {
        "id": str(signature.pk),
        "meaning": str(signature.meaning),
        "printed_name": signature.printed_name,
        "signed_at": format_timestamp(signature.signed_at),
    }


def is_signed(run: Run | UUID) -> bool:
    return _find_first_signature(run) is not None


def refuse_signed(run: Run | UUID) -> None:
    """Before what was signed of a run changes, or the run is deleted; its row is locked. Raises RunIsSigned."""
    if signature := _find_first_signature(run):
        raise RunIsSigned(signature)


def _find_first_signature(run: Run | UUID) -> Signature | None:
    return FIRST_SIGNATURE.first(run.pk if isinstance(run, Run) else run)
