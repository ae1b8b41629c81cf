"""Identifiers: UUIDv7."""

from wire.ids import new_id


def test_ids_of_one_process_sort_as_they_were_made():
    made = [new_id() for _ in range(20_000)]

    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_an_id_says_its_version():
    made = new_id()

    assert (made.version, made.variant) == (7, "specified in RFC 4122")
