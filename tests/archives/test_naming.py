import pytest

from archives.naming import member_names


def names(*paths: str) -> list[str]:
    return list(member_names(paths))


def test_folders_are_kept():
    assert names("a/b.csv", "a/c/d.csv") == ["a/b.csv", "a/c/d.csv"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("CON.txt", "_CON.txt"),
        ("a/nul", "a/_nul"),
        ("a\\b", "a_b"),
        ('q"?*<>|:.csv', "q_______.csv"),
        ("dots...", "dots"),
        ("space /x ", "space/x"),
        ("\u202egpj.exe", "_gpj.exe"),
        ("..", "_"),
    ],
)
def test_names_from_hell_become_safe(path, name):
    assert names(path) == [name]


def test_names_that_a_pickier_system_takes_for_one_are_told_apart():
    assert names("Scan.tif", "scan.TIF", "scan.tif") == ["Scan.tif", "scan (2).TIF", "scan (3).tif"]


def test_unicode_forms_of_one_name_are_told_apart():
    assert names("Gr\u00f6\u00dfe", "Gro\u0308\u00dfe") == ["Gr\u00f6\u00dfe", "Gro\u0308\u00dfe (2)"]


def test_the_manifest_keeps_its_name():
    assert names("manifest.json", "Manifest.JSON") == ["manifest (2).json", "Manifest (2).JSON"[:8] + " (3).JSON"]


def test_a_file_and_a_folder_of_one_name_do_not_meet():
    assert names("a", "a/b") == ["a", "a_/b"]
    assert names("a/b", "a") == ["a/b", "a (2)"]


def test_long_names_stay_within_a_segment():
    long = "x" * 250 + ".csv"

    first, second = names(long, long.upper())

    assert len(first.encode()) <= 255
    assert len(second.encode()) <= 255
    assert second.endswith(" (2).CSV")


def test_seventy_thousand_equal_names_are_told_apart():
    assert len(set(names(*["a.csv"] * 70_000))) == 70_000
