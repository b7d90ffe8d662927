"""measure.py -- what a call takes: wall-clock time, and the time that processors spent on it, which other programs on
the machine lengthen less."""
import resource
import time


def processors():
    """CPU time in s of this process and of the ended ones that it started."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def least(count, call):
    """([(wall-clock time, CPU time) of each call in s], the least of both, what the last call returned)"""
    times, value = [], None
    for _ in range(count):
        begin, used = time.perf_counter(), processors()
        value = call()
        times.append((time.perf_counter() - begin, processors() - used))
    return times, tuple(min(column) for column in zip(*times)), value


def peak_bytes():
    """The most memory that this process, or one that it started, has held."""
    return 1024 * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
