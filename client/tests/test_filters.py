import pytest

from instrument_data.filters import read_filters
from instrument_data.rows_query import RowsQuery, format_of


def params_of(**filters):
    return read_filters(**filters).params


def test_a_keyword_that_is_no_filter_is_metadata():
    assert params_of(also={"plate_id": "P7"}) == [("metadata[plate_id]", "P7")]


@pytest.mark.parametrize(
    ("keyword", "meant"),
    [
        ("instument", "instrument"),
        ("instrument_id", "instrument"),
        ("tags", "tag"),
        ("run_id", "search"),
        ("q", "words"),
    ],
)
def test_a_filter_that_a_hand_missed_does_not_find_nothing(keyword, meant):
    with pytest.raises(ValueError, match=f"{keyword} is no filter: {meant} is meant"):
        params_of(also={keyword: "x"})

    assert params_of(metadata={keyword: "x"}) == [(f"metadata[{keyword}]", "x")]


@pytest.mark.parametrize("key", ["operator", "sample", "title", "user", "name", "method", "batch", "sources_used"])
def test_keys_of_metadata_are_near_no_filter(key):
    assert params_of(also={key: "x"}) == [(f"metadata[{key}]", "x")]


def test_a_comparison_stands_behind_two_underscores():
    assert params_of(also={"temperature__gt": 37}) == [("metadata[temperature][gt]", "37")]


def test_two_underscores_alone_compare_nothing():
    assert params_of(also={"a__b": "x"}) == [("metadata[a__b]", "x")]


def test_truth_is_written_as_the_service_reads_it():
    assert params_of(metadata={"blank": True}) == [("metadata[blank]", "true")]


def test_a_list_asks_for_each_of_its_members():
    assert params_of(metadata={"dye": ["FAM", "HEX"]}) == [("metadata[dye]", "FAM"), ("metadata[dye]", "HEX")]


def test_statuses_and_tags_are_repeated():
    assert params_of(status=["failed", "stalled"], tag="qc") == [
        ("status", "failed"),
        ("status", "stalled"),
        ("tag", "qc"),
    ]


@pytest.mark.parametrize(
    ("condition", "sent"),
    [
        (("well", "B3"), "well:eq:B3"),
        (("value", ">", 0.5), "value:gt:0.5"),
        (("value", "<=", 1), "value:le:1"),
        (("well", ["B3", "B4"]), "well:in:B3,B4"),
        (("value", None), "value:is_null:true"),
        (("flagged", True), "flagged:eq:true"),
        (("name", "contains", "a:b"), "name:contains:a:b"),
    ],
)
def test_conditions_on_rows(condition, sent):
    assert RowsQuery().where(*condition).to_params() == [("where", sent)]


def test_an_unknown_comparison_names_those_there_are():
    with pytest.raises(ValueError, match="contains"):
        RowsQuery().where("value", "~", 1)


def test_a_comma_cannot_stand_in_a_list():
    with pytest.raises(ValueError, match="comma"):
        RowsQuery().where("name", ["a,b", "c"])


def test_a_query_never_changes_itself():
    whole = RowsQuery()
    whole.where("well", "B3")

    assert whole.to_params() == []


def test_the_last_limit_counts():
    assert RowsQuery().limit(10, offset=5).limit(3).to_params() == [("offset", "5"), ("limit", "3")]


@pytest.mark.parametrize(("name", "written"), [("a.csv", "csv"), ("B.PARQUET", "parquet"), ("x.jsonl", "ndjson")])
def test_the_ending_says_the_format(name, written):
    assert format_of(name) == written


def test_another_ending_is_refused():
    with pytest.raises(ValueError, match="parquet"):
        format_of("a.xls")
