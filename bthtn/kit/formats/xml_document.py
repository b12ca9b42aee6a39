"""Reads XML as plain elements: bounded in size and depth, without entities.

BehaviorTree.CPP and Groot2 nest at most 256 elements, and use neither a document type nor
namespaces.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr

from bthtn.errors import InputError
from bthtn.kit.formats.document import bytes_of_text, decoded_before, place_after

MOST_BYTES: Final = 4_000_000
MOST_ELEMENTS: Final = 50_000
DEEPEST: Final = 256
_HINTS: Final = MappingProxyType(
    {
        "undefined entity": "write &amp; for &",
        "mismatched tag": "the end tag of the innermost element is missing, or misspelt",
        "duplicate attribute": "write each attribute once",
        "junk after document element": "put all into one outermost element: <root>",
        "no element found": "the end tags of the elements that are still open are missing",
        "unclosed token": "is a quote or a '>' missing?",
    }
)
"""What to do about faults of XML, by the words of the parser."""
_DECLARED: Final = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']""")
_MARKS: Final[Mapping[bytes, str]] = MappingProxyType(
    {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
)
"""Byte order marks, and their encodings."""
_VALUE: Final = re.compile(
    r"""<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|(?<==)\s*("[^"]*"|'[^']*')""", re.DOTALL
)
_BARE: Final = re.compile(r"<|&(?!#?\w+;)")
_TYPOGRAPHIC: Final = frozenset("\u2018\u2019\u201a\u201c\u201d\u201e")
_NOT_XML: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a document, and the line and the file where it begins, if it was read.

    ``text`` is the text directly in it, without spaces at both ends.
    """

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Element, ...]
    line: int = 0
    text: str = ""
    source: str = field(default="", compare=False)

    @property
    def where(self) -> str:
        return f"{self.source}:{self.line}"


def element_in(path: Path) -> Element:
    """The outermost element of a file. Raises InputError with the line and the column."""
    if os.path.isfile(path) and path.stat().st_size > MOST_BYTES:
        raise _too_large(str(path))
    return element_from(_decoded(bytes_of_text(path), path), str(path))


def _decoded(read: bytes, path: Path) -> str:
    """The text in the encoding of its byte order mark, or that its declaration names, else UTF-8.

    Raises InputError.
    """
    said = _DECLARED.match(read)
    encoding = said[1].decode() if said else "utf-8-sig"
    for mark, marked in _MARKS.items():
        encoding = marked if read.startswith(mark) else encoding
    try:
        return read.decode(encoding)
    except UnicodeDecodeError as error:
        place = place_after(decoded_before(error), path)
        shown = encoding.removesuffix("-sig").upper()
        hint = 'save it in UTF-8, or write its encoding: <?xml version="1.0" encoding="…"?>'
        raise InputError("BT404", f"not a text in {shown}", place, hint) from None
    except (LookupError, ValueError):
        message = f"there is no encoding '{encoding}'"
        raise InputError("BT412", message, f"{path}:1", "save it in UTF-8, and say so") from None


def element_from(text: str, source: str) -> Element:
    """The outermost element of a text; ``source`` is for messages. Raises InputError."""
    try:
        from defusedxml import DefusedXmlException  # noqa: PLC0415 - an extra
        from defusedxml.sax import make_parser  # noqa: PLC0415 - likewise
    except ImportError:
        message = "XML is read by defusedxml, which is not installed"
        raise InputError("BT413", message, source, "pip install 'bthtn[groot]'") from None
    if len(text) > MOST_BYTES:
        raise _too_large(source)

    builder = _Builder(source)

    def parsed(text: str) -> Element:
        parser = make_parser()
        parser.forbid_dtd = True
        builder.begin()
        parser.setContentHandler(builder)
        parser.parse(StringIO(text))
        return builder.root

    try:
        try:
            return parsed(text)
        except SAXParseException:
            # BehaviorTree.CPP takes a bare < or & in an attribute, as in _while="a && b".
            escaped = _VALUE.sub(_escaped, text)
            if escaped == text:
                raise
            with suppress(SAXParseException):
                return parsed(escaped)
            raise
    except SAXParseException as error:
        # Without a line if nothing was read at all.
        line, column = error.getLineNumber() or 1, error.getColumnNumber() or 0
        place, said = f"{source}:{line}:{column + 1}", error.getMessage()
        lines = re.split(r"\r\n?|\n", text)
        hint = _hint(said, lines[line - 1] if line <= len(lines) else "", column)
        raise InputError("BT412", f"not XML: {said}", place, hint) from None
    except DefusedXmlException:
        hint = "leave out <!DOCTYPE …> and what it defines"
        raise builder.fault("a document type is not read", hint) from None
    except UnicodeEncodeError as error:
        place = f"{source}, letter {error.start + 1}"
        raise InputError("BT412", "half a letter stands alone", place) from None


def _escaped(found: re.Match[str]) -> str:
    """The value of an attribute without a bare < or &."""
    if found[1] is None:
        return found[0]
    return _BARE.sub(lambda bare: "&lt;" if bare[0] == "<" else "&amp;", found[0])


def _hint(said: str, line: str, column: int) -> str:
    """What to do about a fault of XML that the parser describes so, at a column of a line."""
    if said in _HINTS:
        return _HINTS[said]
    at, before = line[column : column + 1], line[:column]
    if before.endswith("&") or at == "&":
        return "write &amp; for &, or the word: a and b"
    if before.endswith("<") and re.match(r"[=\s]", at):
        return "write &lt; for a < in a text, and &lt;= for <="
    if at == "<":
        return "is a quote missing before it? A < in a text is written &lt;"
    if at in _TYPOGRAPHIC:
        return 'write straight quotes: "…"'
    if re.search(r"=\s*$", before):
        return f'write the value in quotes: ="{at}…"'
    return "is a quote, a '>' or an end tag missing?"


class _Builder(ContentHandler):
    """Makes an element when its end tag is read; its children were made before."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self._source = source
        self.root: Element
        self.begin()

    def begin(self) -> None:
        """Begin a document, for the first time or again."""
        self._count = 0
        self._open: list[tuple[str, Mapping[str, str], int, list[Element], list[str]]] = []

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - as SAX calls it
        self._count += 1
        if self._count > MOST_ELEMENTS:
            hint = "divide the file, and include the parts"
            raise self.fault(f"the document has more than {MOST_ELEMENTS:,} elements", hint)
        if len(self._open) >= DEEPEST:
            hint = "give the inner part a tree of its own"
            raise self.fault(f"elements are nested deeper than {DEEPEST}", hint)
        attributes = MappingProxyType(dict(attrs))
        self._open.append((name, attributes, self._place()[0], [], []))

    def endElement(self, name: str) -> None:  # noqa: N802 - as SAX calls it
        tag, attributes, line, children, letters = self._open.pop()
        assert tag == name, "the parser has checked the end tags"
        text = "".join(letters).strip()
        element = Element(tag, attributes, tuple(children), line, text, self._source)
        if self._open:
            self._open[-1][3].append(element)
        else:
            self.root = element

    def characters(self, content: str) -> None:
        if not content.isspace():
            self._open[-1][4].append(content)

    def fault(self, message: str, hint: str) -> InputError:
        """The error at the place that the parser has come to."""
        line, column = self._place()
        return InputError("BT412", message, f"{self._source}:{line}:{column}", hint)

    def _place(self) -> tuple[int, int]:
        locator: Any = self._locator  # type: ignore[attr-defined]  # set by the parser
        return locator.getLineNumber(), locator.getColumnNumber() + 1


def _too_large(source: str) -> InputError:
    message = f"the document is larger than {MOST_BYTES // 1_000_000} MB"
    return InputError("BT412", message, source, "divide it, and include the parts")


def without_controls(text: str) -> str:
    """The text, with a replacement character for each letter that no attribute of XML can hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def xml_text(root: Element) -> str:
    """The text of a document, each element on a line of its own."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    waiting: list[tuple[Element | str, str]] = [(root, "")]
    while waiting:
        element, indent = waiting.pop()
        if isinstance(element, str):
            lines.append(f"{indent}</{element}>")
            continue
        written = (f" {name}={quoteattr(text)}" for name, text in element.attributes.items())
        start = f"{indent}<{element.tag}{''.join(written)}"
        if element.children:
            lines.append(f"{start}>")
            waiting.append((element.tag, indent))
            waiting += [(child, f"{indent}  ") for child in reversed(element.children)]
        else:
            text = escape(element.text)
            lines.append(f"{start}>{text}</{element.tag}>" if text else f"{start}/>")
    return "\n".join([*lines, ""])
