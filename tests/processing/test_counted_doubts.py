"""Lists that count on in two columns at once, but for one place; what people leave out by themselves is not told."""

import pytest

from processing.doubts.texts import list_text_doubts

WELLS = [f"{row}{column}" for column in (1, 2) for row in "ABCDEFGH"]
HEAD = "Well\tSample\tSignal\n"


def listed(skipped=(), *, names="S{}", wells=WELLS, head=HEAD):
    named = [f"{well}\t{names.format(n)}\t{n * 37 % 11}.5\n" for n, well in enumerate(wells, 1)]
    return head + "".join(row for n, row in enumerate(named, 1) if n not in skipped)


def told(text, folder):
    path = folder / "export.txt"
    path.write_text(text)
    return " ".join(list_text_doubts(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (listed([3]), "“S4” follows “S2” in line 4"),
        (listed([3], names="P-{:03}"), "“P-004” follows “P-002” in line 4"),
        (listed([9, 10]), "“S11” follows “S8” in line 10"),
        (listed([6], wells=[f"C{n}" for n in range(1, 13)]), "“S7” follows “S5” in line 7"),
        (listed([5], wells=range(0, 300, 30), head="Time\tSample\tSignal\n"), "“S6” follows “S4” in line 6"),
        (listed([5], head=""), "“S6” follows “S4” in line 5"),
    ],
)
def test_a_row_that_two_columns_miss_is_told(text, said, tmp_path):
    assert said in told(text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        listed(),
        listed([3, 7]),  # people leave out several
        listed([3]).replace("C1", "B1").replace("S4", "S3"),
        listed().replace("S4", "S40"),  # the wells go on
        listed([3], names="{}"),  # two numbers of one well
        listed([3]) + "\nPlanned\nS3\n",
        listed([1, 16]),  # at the ends nothing is missed
        HEAD + "A1\tS1\t5.5\nA2\tS2\t6.5\nA4\tS4\t7.5\n",
    ],
)
def test_lists_with_another_reason_are_not_doubted(text, tmp_path):
    assert told(text, tmp_path) == ""
