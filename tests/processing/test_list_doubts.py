"""Lists that disagree with what they say of themselves, and lines that stand there twice."""

import pytest

from processing.doubts.texts import list_text_doubts

WELLS = ["A1", "A2", "B1", "B2", "C1", "C2"]
DYES = "Well,Dye,Conc,Count\n" + "".join(
    f"{well},{dye},{n}.25,7\n" for n, dye in enumerate(("FAM", "VIC"), 1) for well in WELLS
)
GROUPS = "Name,Well,Conc,Count\n" + "".join(
    f"{group} (3),,{n}.5,9\n" + "".join(f"{group},{well}{n},{n}.25,7\n" for well in "ABC")
    for n, group in enumerate(("Group 1", "Group 2"), 1)
)
SCAN = "Scan\tone.tsv\nLength\t12\n\nnm\tAbs\n" + "".join(f"{300 + n}\t0.{n + 10}\n" for n in range(12))
FACTS = "Operator;Somebody\nViability (%);92.8\nDiameter (um);13.2\nSample volume (ul);200\nPC;LAB1\n"
ROWS = "Name,A,B,C\n" + "".join(f"S{n},1{n}.5,2{n}.5,3{n}.5\n" for n in range(1, 6))
PLATE = "Number of rows,,,,8\nNumber of columns,,,,12\n" + "\n".join(f"Fact {n},,,,{n}" for n in "abc")


def told(text, folder):
    path = folder / "export.csv"
    path.write_text(text)
    return " ".join(list_text_doubts(path))


@pytest.mark.parametrize(
    "text", [DYES, GROUPS, SCAN, FACTS, ROWS, PLATE, PLATE.replace("8", "x").replace("12", "8").replace("x", "12")]
)
def test_what_agrees_is_not_doubted(text, tmp_path):
    assert told(text, tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DYES.replace("B1,FAM,1.25,7\n", ""), "has 1 rows for well B1, and 2 for most others"),
        (GROUPS.replace("Group 1,B1,1.25,7\n", ""), "“Group 1 (3)” in line 2 stands above 2 rows"),
        (GROUPS.replace("Group 2,C2,2.25,7\n", ""), "“Group 2 (3)” in line 6 stands above 2 rows"),
        (SCAN.replace("311\t0.21\n", ""), "Line 2 says that it has 12 points, and it has 11"),
        (PLATE.replace("8", "11"), "No plate has 11 rows and 12 columns"),
        (
            FACTS.replace("Operator;Somebody\n", "Operator;Somebody\n" * 2),
            "Lines 1 and 2 are the same",
        ),
        (ROWS.replace("S3,13.5,23.5,33.5\n", "S3,13.5,23.5,33.5\n" * 2), "Lines 4 and 5 are the same"),
    ],
)
def test_what_disagrees_is_told(text, said, tmp_path):
    assert said in told(text, tmp_path)


def test_a_well_measured_more_often_than_others_is_none_of_a_grid(tmp_path):
    listed = "Well,Sample,Conc,Count\n" + "".join(
        f"{well},S{n},{n}.25,7\n" for n, well in enumerate([*WELLS, *WELLS[1:]])
    )

    assert told(listed, tmp_path) == ""
