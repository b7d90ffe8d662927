#!/usr/bin/env python3
"""without_barrier.py SOURCE TARGET -- a planted fault: the text of a kernel without its first TEAM_SYNC. Lines keep
their numbers, and messages name the source."""
import pathlib
import sys


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    head, barrier, tail = source.read_text(encoding="utf-8").partition("TEAM_SYNC()")
    assert barrier, "there is no barrier to leave out"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f'#line 1 "{source}"\n{head}((void)0){tail}', encoding="utf-8")


if __name__ == "__main__":
    main()
