"""Numbers that stand in a text and are missing in the document made of it."""

import json

from processing.processors.asm.unread import list_unread

LETTERS = "ABCDEFGH"
VALUES = {letter: [f"0.{code}{column:02}" for column in range(1, 13)] for code, letter in enumerate(LETTERS, start=1)}
HEAD = "Reader\tone\n\n\t" + "\t".join(map(str, range(1, 13))) + "\n"


def plate(values=None):
    return HEAD + "".join(f"{letter}\t" + "\t".join(row) + "\n" for letter, row in (values or VALUES).items())


def document(rows=LETTERS, **more):
    return json.dumps([float(value) for letter in rows for value in VALUES[letter]] + [more]).encode()


def unread(text, known):
    return list(list_unread(text, known))


def changed(old, new):
    return plate().replace(old, new)


def test_nothing_is_said_where_all_or_other_columns_were_taken():
    table = "".join(f"S{number}\t{number * 1.1:.3f}\t{number * 7.7:.3f}\n" for number in range(10, 40))
    known = json.dumps([round(number * 1.1, 3) for number in range(10, 40)]).encode()

    assert unread(plate(), document()) == []
    assert unread(table, known) == []


def test_rows_of_a_plate_that_were_not_taken_are_told():
    (said,) = unread(plate(), document("ABCDEF"))

    assert said == "22 numbers of its tables were not read (the first is “0.701” in line 10)."


def test_a_text_of_which_hardly_anything_was_taken_is_told():
    (said,) = unread(plate(), b'{"wells": [null]}')

    assert said.startswith("Of 88 numbers in its tables 0 were read")


def test_numbers_in_another_form_are_the_same():
    values = {letter: [f"{float(value):.2e}" for value in row] for letter, row in VALUES.items()}

    assert unread(plate(values), document()) == []


def test_words_in_place_of_numbers_are_told_unless_the_document_has_them():
    for word in ("OVRFLW", "*****", ">4.000", "Masked", "#N/A", "0.302 AU"):
        text = changed("0.302", word)

        (said,) = [said for said in unread(text, document()) if "hold none" in said]
        assert said == f"1 cells among numbers hold none, and were left out (the first is “{word}” in line 6)."
        assert [said for said in unread(text, document(note=word)) if "hold none" in said] == []


def test_names_above_and_empty_wells_are_no_such_words():
    assert unread("Sample\t95%CI\t20 °C\n" + "S\t1.25\t3.75\n" * 9, b"[1.25, 3.75]") == []
    assert unread(changed("0.302", ""), document()) == []
    assert unread(changed("0.302", "-"), document()) == []


def test_a_second_export_of_which_nothing_was_taken_is_told():
    other = {letter: [value.replace("0.", "2.") for value in row] for letter, row in VALUES.items()}

    (said,) = unread(plate() + "\n" + plate(other), document())

    assert said.startswith("96 numbers of its tables were not read (the first is “2.101”")
