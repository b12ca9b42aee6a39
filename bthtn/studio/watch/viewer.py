"""Viewer: shows a running tree in a browser, from a loop of one's own.

viewer = Viewer(character)                    # or a tree, or several of either
print(viewer.start())                         # the address to open
while ...:
    character.tick()
    viewer.tick()

The loop belongs to the game and must not wait for a page; the server has a thread of its own, and
nothing of the character may be read there while it ticks. So each tick puts what is new into a
queue as data that does not change any more. If the queue is full, the update is dropped and the
next one has everything. Requests take the way back: they are done between two ticks, in the game's
thread.
"""

from __future__ import annotations

import asyncio
import secrets
from queue import Queue
from typing import Any, Final, Self

from bthtn.checked import checked
from bthtn.engine.agent.programming_errors import give_up
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import exception_text
from bthtn.kit.recording.watched import Watchable
from bthtn.studio.profile import Profile
from bthtn.studio.watch.history import History
from bthtn.studio.watch.questions import answer_to
from bthtn.studio.watch.run_control import Control
from bthtn.studio.watch.server import LOOPBACK, Server, check_installed
from bthtn.studio.watch.updates import Feed, Lines, Update, text_of

WAITING: Final = 64
"""Updates that may wait for the server's thread."""
ALONE_EVERY: Final = 300
"""Entries of the history from one that stands alone to the next."""
PATIENCE: Final = 2.0
"""Seconds that a page waits for a tick, in which its request is done."""
GRACE: Final = 5.0
"""Seconds for which a paused run waits for another page when the last one was closed."""


class Viewer(Unpicklable):
    """Serves pages that show ``watched`` trees, on this machine only.

    ``tick`` is called after each tick of the loop, in its thread. It takes no longer because a page
    is slow: updates are dropped when too many are waiting, and the next one has all that there is.
    It waits only while the run is paused in a page; ``paused`` begins so. ``port`` 0 is
    any free one. The rows of a ``profile`` are shown; the loop measures it.
    """

    @checked
    def __init__(
        self,
        *watched: Watchable,
        port: int = 0,
        name: str = "",
        paused: bool = False,
        profile: Profile | None = None,
    ) -> None:
        """Raises InputError for agents of one name, and if the extra ``watch`` is missing."""
        check_installed("the viewer", "starlette", "uvicorn")
        self._feed = Feed(watched, profile=profile)
        self._updates: Queue[Update] = Queue(WAITING)
        self._is_whole = True
        """Whether the next update has all there is: the first one, and that after a dropped one."""
        self._is_drain_due = False
        self._is_given_up = False
        self.control = Control(
            self._feed.watched.agents, watch=self._show, changed=self._changed, paused=paused
        )
        self._name = name or next(iter(self._feed.watched.agents))
        self._lines = Lines(self._name)
        self._history = History()
        self._since_alone = 0
        self._token = secrets.token_urlsafe(24)
        self._server: Server | None = None
        self._port = port
        self._ticks = 0
        self.dropped = 0
        """Updates that were dropped because too many were waiting."""

    @property
    def url(self) -> str:
        """The address of the page; the token behind the # lets it pause the run and set beliefs."""
        assert self._server is not None, "the viewer is started first"
        return f"http://{LOOPBACK}:{self._server.port}/#{self._token}"

    def start(self) -> str:
        """Start to serve, in a thread of its own. Returns the address to open.

        Raises InputError for a port that cannot be used.
        """
        from bthtn.studio.watch.app import app  # noqa: PLC0415 - needs the extra

        self._server = Server(self._port)
        made = app(
            self._history,
            token=self._token,
            ask=lambda question: answer_to(question, self._feed),
            do=self._do,
            on_readers=self._attach,
        )
        self._server.start(made)
        self._changed()
        return self.url

    def tick(self, wait: float = 0) -> None:
        """Show the events since the last call, and do the requests of pages.

        Waits so many seconds, for loops with no pace of their own, and as long as it is paused.
        """
        self._ticks += 1
        events = self._feed.watched.events
        self._publish()
        self.control.between_ticks(events, wait)

    def wait(self) -> None:
        """Wait while the run is paused; for a run that begins ``paused``, before its first tick."""
        self.control.between_ticks(())

    def end(self, reason: str, *, finished: bool) -> None:
        """Say in the pages that the run is over; they go on showing it."""
        if self._server is not None:
            line = {"end": self._ticks, "finished": finished, "reason": reason}
            self._server.call(lambda: self._close(line))

    def offer_again(self, reason: str, *, finished: bool) -> bool:
        """Say in the pages that the run is over, with a button to begin it again, and wait.

        Returns True when that is wanted: make the watched anew, and call ``begin``. Returns False
        after ``release``.
        """
        if self._server is not None:
            line = {"end": self._ticks, "finished": finished, "reason": reason}
            self._server.call(lambda: self._say(line))
        return self.control.wait_for_again()

    def begin(self, *watched: Watchable, profile: Profile | None = None) -> None:
        """Show another run from its beginning, in place of the one before. Raises InputError."""
        feed = Feed(watched, self._feed.again + 1, profile=profile)
        self._feed.watched.close()
        self._feed, self._ticks, self._is_whole = feed, 0, True
        self.control.begin(feed.watched.agents)
        self._changed()

    def release(self) -> None:
        """Let the run go on if it is paused, and never pause again. May be called anywhere."""
        self.control.close()

    def close(self) -> None:
        """End the server, let a paused loop go on, and hear no more."""
        self.control.close()
        self._feed.watched.close()
        if self._server is not None:
            server, self._server = self._server, None
            server.call(self._history.close)
            server.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _publish(self) -> None:
        """In the thread of the loop: put an update into the queue; give up if that raises."""
        if self._is_given_up:
            return
        try:
            self._put()
        except Exception as error:  # noqa: BLE001 - a view must not end the run
            give_up("the viewer", error)
            self._is_given_up = True
            self._feed.watched.close()
            self.end(f"the viewer is given up: {exception_text(error)}", finished=False)

    def _put(self) -> None:
        """Put an update into the queue, unless it is full or there is no server."""
        if self._server is None:
            self._feed.watched.news()  # nobody reads them
            return
        if self._updates.full():
            self._feed.watched.news()  # dropped; the next update has all there is
            self.dropped += 1
            self._is_whole = True
            return
        update = self._feed.update(
            self._ticks,
            is_whole=self._is_whole,
            is_seen=self.control.is_attached,
            is_standing=self.control.is_paused or self.control.is_over,
        )
        self._is_whole = False
        self._updates.put_nowait(update)
        if not self._is_drain_due:
            self._is_drain_due = True
            self._server.call(self._drain)

    def _changed(self) -> None:
        """A request has changed beliefs, or the state of the run."""
        self._publish()
        state = self.control.state()
        if self._server is not None:
            self._server.call(lambda: self._drain(state))

    def _drain(self, control: dict[str, Any] | None = None) -> None:
        """In the thread of the server: keep the updates, and then the state of the run if given."""
        self._is_drain_due = False
        try:
            self._keep_updates()
        except Exception as error:  # noqa: BLE001 - a view must not end the run
            give_up("the viewer", error)
            self._is_given_up = True
            self._history.close()
        if control is not None:
            self._keep([{"control": control}])

    def _keep_updates(self) -> None:
        for _ in range(0 if self._is_given_up else self._updates.qsize()):
            update = self._updates.get_nowait()
            if update.again != self._lines.again:
                self._lines = Lines(self._name, update.again)
                self._history.clear()
            made = self._lines.of(update)
            alone = update.whole is not None
            if not alone and self._since_alone >= ALONE_EVERY:
                self._keep([*self._lines.whole(), {"control": self.control.state()}], alone=True)
            self._keep(made, alone=alone)

    def _close(self, line: dict[str, Any]) -> None:
        self._say(line)
        self._history.close()

    def _say(self, line: dict[str, Any]) -> None:
        self._drain()
        self._keep([line])

    def _show(self, agent: str) -> None:
        self._feed.show(agent)

    def _keep(self, lines: list[dict[str, Any]], *, alone: bool = False) -> None:
        self._since_alone = 0 if alone else self._since_alone + 1
        self._history.append(text_of(lines), stands_alone=alone)

    async def _do(self, request: dict[str, Any]) -> Any:
        answer = asyncio.wrap_future(self.control.submit(request))
        return await asyncio.wait_for(asyncio.shield(answer), PATIENCE)

    def _attach(self, pages: int) -> None:
        if pages:
            self.control.attach(is_attached=True)
            if self._feed.pictures:  # not drawn while nobody looked
                self.control.submit({"do": "look"})
        else:
            asyncio.get_running_loop().call_later(GRACE, self._detach)

    def _detach(self) -> None:
        if not self._history.readers:
            self.control.attach(is_attached=False)
