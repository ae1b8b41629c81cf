"""Text in the forms of pages: the rules of wire.fields, said beside the field with what was typed still in it."""

from typing import Any

from django import forms

from wire.fields import normalize_newlines
from wire.input_gate import text_fault
from wire.names import name_fault


class LineField(forms.CharField):
    """One line, outer blanks cut off."""

    multiline = False

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value and (fault := text_fault(value, multiline=self.multiline)):
            raise forms.ValidationError(fault)


class NameField(LineField):
    """What something is called: read in the order in which it is written."""

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value and (fault := name_fault(value)):
            raise forms.ValidationError(fault)


class LinesField(LineField):
    """A text of several lines: tab and LF stay, CRLF and CR become LF."""

    multiline = True
    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return normalize_newlines(text) if text else text
