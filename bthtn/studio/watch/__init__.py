"""The live viewer of a run, in a browser.

The loop of a game or simulation makes an ``Update`` of each tick (``updates``) and puts it into a
bounded queue, which never blocks it. The thread of a server on the loopback interface (``server``)
takes them out, writes them as the lines of a recording, keeps the latest (``history``), and
sends them to the pages that are open (``app``, to which ``access`` lets only this machine's own
page). Requests of a page are done between two ticks, in the thread of the loop: pauses,
``breakpoints``, beliefs set by hand (``run_control``); ``questions`` change nothing.

The page is in ``bthtn/studio/views/page``: plain ES modules, without a build. ``page`` puts a
recording into a copy of it that needs no server.
"""

from bthtn.studio.watch.page import recording_page
from bthtn.studio.watch.viewer import Viewer

__all__ = ["Viewer", "recording_page"]
