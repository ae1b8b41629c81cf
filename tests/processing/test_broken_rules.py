"""A rule about damage that breaks costs what it would have said, never the reading."""

import pytest

from processing.doubts import every_rule
from processing.doubts.every_rule import NOT_LOOKED, list_all_doubts
from processing.readings import Output


@pytest.mark.parametrize("fault", [IndexError, ZeroDivisionError, RecursionError, MemoryError])
def test_the_other_rules_speak_and_it_is_said_that_one_did_not(tmp_path, monkeypatch, fault):
    def break_off(*_):
        yield "It was seen before the fault."
        raise fault

    monkeypatch.setattr(every_rule, "list_text_doubts", break_off)
    monkeypatch.setattr(every_rule, "list_json_doubts", lambda _: iter(["It was seen behind it."]))
    path = tmp_path / "scan.csv"
    path.write_text("x,y\n1,2\n")

    told = list(list_all_doubts(path, Output()))

    assert told == ["It was seen before the fault.", "It was seen behind it.", NOT_LOOKED]
