"""Which type reads a file: marks of formats first, then the instrument's type, then detection."""

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest
from allotropy.parser_factory import Vendor

from instruments.instrument_types import list_types
from processing import registry as registry_module
from processing.readings import Fact, InstrumentType, Kind, Limits, Viewer
from processing.recognition.vendor_types import VENDOR_TABLE, VENDOR_TYPES, vendor_name
from processing.registry import BUILT_IN_TYPES, choose_type, find_type, get_registry

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def plugins(monkeypatch):
    """plugins(name=target, …) installs entry points for this test."""

    def install(**targets):
        entries = [EntryPoint(name, target, registry_module.ENTRY_POINT_GROUP) for name, target in targets.items()]
        monkeypatch.setattr(registry_module, "entry_points", lambda group: entries)
        get_registry.cache_clear()

    yield install
    get_registry.cache_clear()


def chosen(filename, head=b"", instrument_type="generic"):
    kind = choose_type(filename=filename, head=head, instrument_type=instrument_type)
    return kind.name if kind else None


def test_the_vendors_are_those_of_allotropy():
    theirs = {
        (vendor.name, vendor.display_name, tuple(vendor.supported_extensions))
        for vendor in Vendor
        if vendor is not Vendor.EXAMPLE_WEYLAND_YUTANI
    }

    assert {(vendor_name(name), title, tuple(extensions.split())) for name, title, extensions in VENDOR_TABLE} == theirs
    assert len(VENDOR_TYPES) == 53


def test_every_type_can_be_chosen_for_an_instrument():
    assert {built_in.name for built_in in BUILT_IN_TYPES} <= set(list_types())


@pytest.mark.parametrize(
    ("filename", "head", "instrument_type", "name"),
    [
        ("scan.dat", PNG, "agilent-gen5", "image"),
        ("scan.txt", b"%PDF-1.7", "agilent-gen5", "pdf"),
        ("scan", b"$$ a comment\n##TITLE= Indene", "generic", "jcamp-dx"),
        ("scan.xml", b'<?xml version="1.0"?><indexedmzML xmlns="">', "generic", "mzml"),
        ("001", b"FCS3.1    ", "generic", "fcs"),
        ("read.txt", b"Software Version", "agilent-gen5", "agilent-gen5"),
        ("READ.TXT", b"Software Version", "agilent-gen5", "agilent-gen5"),
        ("read.csv", b"a,b", "agilent-gen5", "generic"),
        ("read.csv", b"a,b", "generic", "generic"),
        ("read.csv", b"a,b", "columns", "columns"),
        ("broken.png", b"nothing", "agilent-gen5", "image"),
        ("read.csv", b"a,b", "a-plug-in-that-is-gone", "generic"),
        ("movie.avi", b"RIFF\0\0\0\0AVI ", "generic", None),
        ("aborted.raw", b"", "generic", None),
        ("LICENSE", b"MIT", "agilent-gen5", None),
    ],
)
def test_the_type_is_chosen_by_mark_then_instrument_then_name(filename, head, instrument_type, name):
    assert chosen(filename, head, instrument_type) == name


def test_an_unknown_name_reads_as_generic():
    assert find_type("a-plug-in-that-is-gone").name == "generic"


PLUGIN = InstrumentType("my-reader", "My reader", ("mrx",), "my_reader:read", lambda head: head.startswith(b"MRX"))
NOT_A_TYPE = "anything"
CLASHING = replace(PLUGIN, name="agilent-gen5")
RAISING = replace(PLUGIN, name="raising", signature=lambda head: head[100_000] == 0)
TIFF_OF_ITS_OWN = replace(PLUGIN, name="my-microscope", signature=lambda head: head.startswith(PNG), limits=Limits())
HERE = "tests.processing.test_registry"


def test_a_plug_in_is_a_type_like_any_other(plugins):
    plugins(my_reader=f"{HERE}:PLUGIN")

    assert find_type("my-reader").title == "My reader"
    assert chosen("scan.mrx", b"", "my-reader") == "my-reader"
    assert chosen("scan.bin", b"MRX 1.0") == "my-reader"


def test_a_plug_in_chosen_for_the_instrument_wins_over_the_marks_of_formats(plugins):
    plugins(microscope=f"{HERE}:TIFF_OF_ITS_OWN")

    assert chosen("scan.png", PNG, "my-microscope") == "my-microscope"
    assert chosen("scan.png", PNG, "generic") == "image"


def test_a_signature_that_raises_is_no_yes(plugins):
    plugins(raising=f"{HERE}:RAISING")

    assert chosen("scan.csv", b"a,b") == "generic"


def test_a_broken_plug_in_is_listed_and_takes_nothing_else_down(plugins):
    plugins(
        absent="no_such_module:TYPE",
        clashing=f"{HERE}:CLASHING",
        my_reader=f"{HERE}:PLUGIN",
        no_type=f"{HERE}:NOT_A_TYPE",
    )

    known = get_registry()
    assert known.broken == {
        "absent": "ModuleNotFoundError: No module named 'no_such_module'",
        "clashing": "UnusablePlugin: The type agilent-gen5 exists already.",
        "no_type": f"UnusablePlugin: {HERE}:NOT_A_TYPE is no InstrumentType.",
    }
    assert "my-reader" in known.types
    assert "generic" in known.types


SAYS_TWICE = replace(PLUGIN, facts=(Fact("strain"), Fact("strain", "AU")))
SAYS_STRANGELY = replace(PLUGIN, facts=(Fact("größe"),))
SHOWS_TILES = replace(PLUGIN, viewers=(Viewer(Kind.TILES, "Tiles", "tile"),))
NAMELESS = replace(PLUGIN, viewers=(Viewer(Kind.CURVE, " ", "curve"),))


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("SAYS_TWICE", "A fact or a viewer is declared twice."),
        ("SAYS_STRANGELY", "The key of a fact is not plain."),
        ("SHOWS_TILES", "Viewers show curve, events, image, plate, table."),
        ("NAMELESS", "A viewer has no name."),
    ],
)
def test_a_declaration_that_no_page_could_keep_is_listed(plugins, target, why):
    plugins(one=f"{HERE}:{target}")

    assert get_registry().broken == {"one": f"UnusablePlugin: {why}"}
