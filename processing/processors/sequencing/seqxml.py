"""SeqXML: sequences with their species and where they are from."""

from xml.sax import SAXParseException

from processing.processors.sequencing.records import read_annotated
from processing.readings import Input, Output, Unreadable


def read(given: Input) -> Output:
    try:
        return read_annotated(given, "seqxml", title="SeqXML")
    except SAXParseException as error:
        raise Unreadable("The XML is damaged, or ends too early.") from error
    except ValueError as error:  # what the parser says of elements that are none of its own, or out of place
        raise Unreadable(f"It does not keep to SeqXML: {error}") from error
