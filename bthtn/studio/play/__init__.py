"""What does it look like in a game?

The arena: a game in the browser, whose guards think here. The page (``page``, plain ES modules) is
the game: it moves everybody, and knows who sees whom. What the guards do next it asks for over a
WebSocket, by the protocol of game engines (docs/engine-protocol.md), as any other game would; its
``engine.js`` is all that it takes. ``app`` serves the page, the protocol, and the ``minds`` of the
guards, which the page shows with the parts of the viewer.
"""

from bthtn.studio.play.arena import TREE, Arena

__all__ = ["TREE", "Arena"]
