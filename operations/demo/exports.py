"""Documents of the demonstration as an instrument would write them."""

from operations.demo.drawings import Json


def export(document: Json) -> bytes:
    """As the instrument would write it: a text of columns."""
    if "wells" in document:
        rows = [["Well", "Sample", _with_unit({"name": document["quantity"], "unit": document["unit"]})]]
        rows += [[well, one.get("sample"), one.get("note") or one["value"]] for well, one in document["wells"].items()]
    elif "series" in document:
        x, y, traces = document["x"], document["y"], document["series"]
        rows = [[_with_unit(x | {"name": x["label"]}), *(_with_unit(y | {"name": one["label"]}) for one in traces)]]
        rows += map(list, zip(traces[0]["x"], *(one["y"] for one in traces), strict=True))
    else:
        rows = [[_with_unit(column) for column in document["columns"]], *document["rows"]]
    return "".join(",".join("" if cell is None else str(cell) for cell in row) + "\r\n" for row in rows).encode()


def _with_unit(column: Json) -> str:
    return f"{column['name']} ({column['unit']})" if column["unit"] else str(column["name"])
