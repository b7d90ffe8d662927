"""The thread in which all calls of one problem run, one after the other, while their callers wait for them.

Python handles signals in the main thread, between two of its instructions. A call of the library in a thread of its own
lets the main thread wait such that Ctrl-C ends the wait at once; then the call is ended, and KeyboardInterrupt goes on.
Each problem also keeps one set of OpenMP threads in this way, whichever thread calls it.
"""
from __future__ import annotations

import os
import queue
import threading
from typing import Any, Callable, TypeVar, cast

from .errors import ClosedError, ForkError

Result = TypeVar("Result")
_INTERVAL = 0.02  # s between two requests that a call end

_first_process: int | None = None  # id of the process in which the first problem was opened


def check_process(own: int | None = None) -> None:
    """Raises ForkError in a process that was forked after the library was used, or after a problem was opened in the
    process `own`. The threads of OpenMP, for which a call would wait, do not exist there."""
    global _first_process
    here = os.getpid()
    if _first_process is None:
        _first_process = here
    if here == _first_process and own in (None, here):
        return
    raise ForkError(
        f"process {here} was forked from process {_first_process if own is None else own}, which had opened a piola "
        "problem: the threads that compute are not copied. Start processes with multiprocessing.get_context('spawn') "
        "or 'forkserver' instead, or open the first problem after the fork")


class _Job:
    """One call: a function, then its result or its exception."""

    def __init__(self, function: Callable[[], Any]):
        self.function = function
        self.done = threading.Event()
        self.cancelled = False
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            if not self.cancelled:
                self.result = self.function()
        except BaseException as error:  # it belongs to the caller's thread
            self.error = error


class Worker:
    """A thread that runs functions one after the other; `interrupt` ends the one that runs, soon."""

    def __init__(self, name: str, interrupt: Callable[[], None]):
        self._interrupt = interrupt
        self._process = os.getpid()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()  # of `current` and `closed`
        self._current: _Job | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            with self._lock:
                self._current = job
            job.run()
            with self._lock:
                self._current = None
            job.function = _nothing  # what it refers to is not kept until the next job
            job.done.set()
            del job

    def _put(self, job: _Job, last: bool = False) -> None:
        with self._lock:
            if self._closed:
                raise ClosedError("the problem is closed")
            self._closed = last
            self._jobs.put(job)
            if last:
                self._jobs.put(None)

    def _stop(self, job: _Job) -> None:
        """Ends a job and waits until it has ended, whatever else is signalled meanwhile."""
        job.cancelled = True
        self._jobs.put(job)  # once more, if the signal came before it was in the queue; it does nothing now
        while not job.done.is_set() and self._thread.is_alive():
            try:
                with self._lock:
                    if self._current is job:
                        self._interrupt()
                job.done.wait(_INTERVAL)
            except KeyboardInterrupt:
                continue

    def call(self, function: Callable[[], Result]) -> Result:
        """Runs a function in the thread and returns its result, or raises its exception. An exception of a signal
        handler in the waiting thread, such as KeyboardInterrupt, ends the function and is raised when it has ended."""
        check_process(self._process)
        if threading.current_thread() is self._thread:
            return function()
        job = _Job(function)
        try:
            self._put(job)
            job.done.wait()
        except ClosedError:
            raise
        except BaseException:
            self._stop(job)
            raise
        if job.error is not None:
            try:
                raise job.error
            finally:
                del job  # else its exception refers to itself by this frame
        return cast(Result, job.result)

    def close(self, function: Callable[[], None]) -> None:
        """Runs a last function in the thread, which then ends; does nothing if that was done before, or after a fork.
        A call that runs is ended first."""
        if os.getpid() != self._process:
            return
        job = _Job(function)
        try:
            self._put(job, last=True)
        except ClosedError:
            return
        if threading.current_thread() is self._thread:
            return
        while not job.done.wait(_INTERVAL):
            with self._lock:
                if self._current is not job and self._current is not None:
                    self._interrupt()
        self._thread.join()


def _nothing() -> None:
    return None
