#!/usr/bin/env python3
"""launches.py [--without-barrier] SOURCE TARGET -- the text of a CUDA source for a C++ compiler.

A launch becomes a call, and the rest stays:

    kernel<...><<<grid, block, shared, stream>>>(arguments)
    stand_in_launch("kernel", kernel<...>, grid, block, shared, stream)(arguments)

Lines keep their numbers, and messages name the source. With --without-barrier, a fault is planted: the first TEAM_SYNC
is left out."""
import pathlib
import re
import sys

LAUNCH = re.compile(r"\b([A-Za-z_]\w*)(<[^<>;{}]*>)?\s*<<<(.*?)>>>(?=\s*\()", re.S)


def rewritten(text):
    """The text with its launches rewritten, and how many they are."""
    text, count = LAUNCH.subn(lambda m: f'stand_in_launch("{m[1]}", {m[1]}{m[2] or ""}, {m[3]})', text)
    if "<<<" in text or ">>>" in text:
        raise ValueError("a launch was not understood")
    return text, count


def control():
    """The negative control: a launch of another form must not pass."""
    assert rewritten("f<A, b><<<n(1, 2), dim3(3, 4), 0, q>>>(x, *y);") == (
        'stand_in_launch("f", f<A, b>, n(1, 2), dim3(3, 4), 0, q)(x, *y);', 1)
    try:
        rewritten("table[0]<<<1, 2>>>(x);")
    except ValueError:
        return
    raise AssertionError("a launch that was not understood passed")


def main():
    source, target = map(pathlib.Path, sys.argv[-2:])
    control()
    text, _ = rewritten(source.read_text(encoding="utf-8"))
    if sys.argv[1] == "--without-barrier":
        head, barrier, tail = text.partition("TEAM_SYNC()")
        assert barrier, "there is no barrier to leave out"
        text = head + "((void)0)" + tail
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f'#line 1 "{source}"\n{text}', encoding="utf-8")


if __name__ == "__main__":
    main()
