"""The README as a package index shows it: its links lead to the repository."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Readme(MetadataHookInterface):
    """Puts the address of the repository, ``Source`` in pyproject.toml, before relative links."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description that the package index shows."""
        source = metadata["urls"]["Source"]
        text = Path(self.root, "README.md").read_text("utf-8")
        text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\g<1>{source}/raw/main/", text)
        text = re.sub(r"(\]\()(?!https?:|#)", rf"\g<1>{source}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
