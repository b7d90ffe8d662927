#!/usr/bin/env python3
"""make_hook.py -- the mesh scenes/data/hook.msh of a crane hook, quad8 in a plane. Lengths are mm.

The middle of the hook goes straight down, then by a cubic curve into an arc of radius RADIUS around the origin, up to
the tip. Groups: the surface `hook`; the lines `top`, the end of the shank, `seat`, where a sling lies in the bowl, and
`sides`, all others.
"""
import math
import pathlib

PATH = pathlib.Path(__file__).resolve().parent.parent.parent / "scenes" / "data" / "hook.msh"
ACROSS, ALONG = 8, (10, 12, 48)  # elements across, and along shank, neck and arc
RADIUS, FROM, TO = 58, 125, 385  # of the middle; angles of the arc's ends, degrees
SHANK, NECK = 175, 125           # heights at which the shank and the neck begin
SEAT = (250, 290)                # angles between which the sling lies
WIDTHS = ((0, 36), (10, 36), (22, 40), (34, 46), (48, 42), (70, 20))  # at which element along, mm


def arc(angle):
    a = math.radians(angle)
    return (RADIUS * math.cos(a), RADIUS * math.sin(a)), (-math.sin(a), math.cos(a))


def neck(t):
    """A cubic curve from the shank to the arc, and its unit tangent."""
    (x, y), (u, v) = arc(FROM)
    pull = 70  # length of the tangents
    h = (2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t, 3 * t**2 - 2 * t**3, t**3 - t**2)
    g = (6 * t**2 - 6 * t, 3 * t**2 - 4 * t + 1, 6 * t - 6 * t**2, 3 * t**2 - 2 * t)
    at = (h[2] * x + h[3] * pull * u, h[0] * NECK - h[1] * pull + h[2] * y + h[3] * pull * v)
    d = (g[2] * x + g[3] * pull * u, g[0] * NECK - g[1] * pull + g[2] * y + g[3] * pull * v)
    length = math.hypot(*d)
    return at, (d[0] / length, d[1] / length)


def middle(s):
    """The middle of the hook and its unit tangent, s in elements along it."""
    if s <= ALONG[0]:
        return (0, SHANK + (NECK - SHANK) * s / ALONG[0]), (0, -1)
    if s <= ALONG[0] + ALONG[1]:
        return neck((s - ALONG[0]) / ALONG[1])
    return arc(FROM + (TO - FROM) * (s - ALONG[0] - ALONG[1]) / ALONG[2])


def width(s):
    """By smooth steps between WIDTHS."""
    for (a, low), (b, high) in zip(WIDTHS, WIDTHS[1:]):
        if s <= b:
            t = (s - a) / (b - a)
            return low + (high - low) * t * t * (3 - 2 * t)
    return WIDTHS[-1][1]


def place(i, j):
    """The place of node j half elements across, from the inside of the bowl, and i half elements along."""
    (x, y), (u, v) = middle(i / 2)
    w = width(i / 2) * (0.5 - j / 2 / ACROSS)
    return x - v * w, y + u * w


def main():
    number, nodes, cells, lines = {}, [], [], []
    n = sum(ALONG)
    for i in range(2 * n + 1):
        for j in range(2 * ACROSS + 1):
            if i % 2 and j % 2:
                continue
            number[i, j] = len(nodes) + 1
            nodes.append(place(i, j))

    def line(group, *at):
        lines.append((8, group, [number[p] for p in at]))

    for j in range(0, 2 * ACROSS, 2):
        line(1, (0, j), (0, j + 2), (0, j + 1))
        line(3, (2 * n, j + 2), (2 * n, j), (2 * n, j + 1))
    for i in range(0, 2 * n, 2):
        (x, y), _ = middle(i / 2 + 0.5)
        low = i >= 2 * sum(ALONG[:2]) and SEAT[0] < math.degrees(math.atan2(y, x)) % 360 < SEAT[1]
        line(2 if low else 3, (i + 2, 0), (i, 0), (i + 1, 0))
        line(3, (i, 2 * ACROSS), (i + 2, 2 * ACROSS), (i + 1, 2 * ACROSS))
        for j in range(0, 2 * ACROSS, 2):
            corners = [(i, j), (i, j + 2), (i + 2, j + 2), (i + 2, j)]
            sides = [(i, j + 1), (i + 1, j + 2), (i + 2, j + 1), (i + 1, j)]
            cells.append((16, 4, [number[p] for p in corners + sides]))
    rows = [f"{k} {kind} 2 {group} {group} " + " ".join(map(str, own))
            for k, (kind, group, own) in enumerate(lines + cells, 1)]
    text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "4", '1 1 "top"', '1 2 "seat"', '1 3 "sides"',
            '2 4 "hook"', "$EndPhysicalNames", "$Nodes", str(len(nodes)),
            *(f"{k} {round(x, 6) + 0:.9g} {round(y, 6) + 0:.9g} 0" for k, (x, y) in enumerate(nodes, 1)), "$EndNodes",
            "$Elements", str(len(rows)), *rows, "$EndElements"]
    PATH.write_text("\n".join(text) + "\n")
    print(f"{PATH.name}: {len(nodes)} nodes, {len(cells)} elements")


if __name__ == "__main__":
    main()
