"""What a store really does, beside what its interface says."""

from dataclasses import dataclass

from wire.errors import ServiceUnavailable

VERIFIED, READ_BACK, UNKNOWN = "verified", "read_back", "unknown"


@dataclass(frozen=True)
class StoreSemantics:
    """What was seen of a store; `files.storage.s3_probe` tries it out."""

    verifies_checksums: bool  # refuses bytes, of objects and of parts, whose CRC32 is not the announced one
    refuses_overwrite: bool  # honours `If-None-Match: *` when an object is put
    refuses_overwrite_by_parts: bool  # and when parts are completed; elsewhere the key is looked up right before
    reads_ranges: bool
    copies_parts: bool
    lists_in_order: bool  # of the bytes of the keys, from any key on

    @property
    def checksum_mode(self) -> str:
        """Who compares an upload with its checksum: the store (`verified`), or the service (`read_back`)."""
        return VERIFIED if self.verifies_checksums else READ_BACK


KEEPS_EVERY_PROMISE = StoreSemantics(
    verifies_checksums=True,
    refuses_overwrite=True,
    refuses_overwrite_by_parts=True,
    reads_ranges=True,
    copies_parts=True,
    lists_in_order=True,
)


class StoreUnsuitable(ServiceUnavailable):
    """The store lacks what nothing can stand in for. The message is one line, for whoever set it up."""


def refuse_unsuitable(semantics: StoreSemantics) -> None:
    """Raises StoreUnsuitable."""
    if not semantics.refuses_overwrite:
        raise StoreUnsuitable(
            "The object store ignores `If-None-Match: *`, so stored bytes could be replaced: use one that honours it."
        )
    if not semantics.reads_ranges:
        raise StoreUnsuitable("The object store ignores `Range`, so parts of objects cannot be read: use another one.")
