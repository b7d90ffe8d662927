#!/usr/bin/env python3
"""make_meshes.py [NAME...] -- the meshes scenes/data/NAME.msh, or all, by Gmsh's Python module (`pip install gmsh`,
version 4.11 or later; not needed to build or test anything). Lengths in the files are mm.

bracket  tet10: a base plate with two bolt holes, an upright plate with a fillet between them, and in the eye of the
         upright a bushing. Groups: the volumes `steel` and `bronze`, the surfaces `bolts` and `bearing`, the lower half
         of the bushing's inside, on which a pin presses.
seal     quad9: the profile of a seal, a vault on a foot, hollow. Groups: `foot`, the lower side, and `crown`, the flat
         top on which a lid presses.
ball     quad4: a quarter of the section of a ball, from its axis to its equator, fine at the pole. Groups: `axis` and
         `equator`.
clip     quad9: an arm with a hook at its end. Groups: `root` and `shaped`, the lower side of the arm and the ramp of
         the hook.
"""
import math
import pathlib
import re
import sys

import gmsh

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "scenes" / "data"
QUAD4, TET10, QUAD9 = 3, 11, 10  # Gmsh's numbers of elements


def near(*pairs):
    return all(abs(a - b) < 1e-3 for a, b in pairs)


def boxed(dim, choose):
    """Returns the entities whose bounding box satisfies `choose`."""
    return [tag for _, tag in gmsh.model.getEntities(dim) if choose(*gmsh.model.getBoundingBox(dim, tag))]


def begin():
    gmsh.initialize(["-nt", "1", "-v", "2"])
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)


def end(name, kind):
    path = DATA / (name + ".msh")
    gmsh.write(str(path))
    text = re.sub(r"-?\d+\.\d+(e-?\d+)?|-?\d+e-\d+", lambda number: f"{round(float(number[0]), 6) + 0:.9g}",
                  re.sub(r" +$", "", path.read_text(), flags=re.M))
    path.write_text(text)
    print(f"{path.name}: {len(gmsh.model.mesh.getNodes()[0])} nodes, "
          f"{len(gmsh.model.mesh.getElementsByType(kind)[0])} elements")
    gmsh.finalize()


# ---- the bracket

LENGTH, WIDTH, PLATE, HEIGHT = 60, 40, 6, 50  # of the base, of both plates, their thickness; of the upright
BOLT, EYE, BORE, FILLET = 4, 11, 8, 8         # radii
EYE_AT = 32                                   # height of the axis of the eye
SIZE, FINE = 6, 3                             # of elements, and around holes


def fuse(first, *others):
    return gmsh.model.occ.fuse([(3, first)], [(3, tag) for tag in others])[0][0][1]


def cut(body, *tools, keep=False):
    return gmsh.model.occ.cut([(3, body)], [(3, tag) for tag in tools], removeTool=not keep)[0][0][1]


def bracket_shape():
    """Returns the volumes of the bracket and of the two halves of the bushing, which share surfaces."""
    occ = gmsh.model.occ
    base = occ.addBox(0, 0, 0, LENGTH, WIDTH, PLATE)
    upright = occ.addBox(0, 0, 0, PLATE, WIDTH, HEIGHT)
    corner = cut(occ.addBox(PLATE, 0, PLATE, FILLET, WIDTH, FILLET),
                 occ.addCylinder(PLATE + FILLET, 0, PLATE + FILLET, 0, WIDTH, 0, FILLET))
    steel = fuse(base, upright, corner)
    holes = [occ.addCylinder(LENGTH - 18, y, 0, 0, 0, PLATE, BOLT) for y in (10, WIDTH - 10)]
    steel = cut(steel, *holes, occ.addCylinder(0, WIDTH / 2, EYE_AT, PLATE, 0, 0, EYE))
    ring = cut(occ.addCylinder(0, WIDTH / 2, EYE_AT, PLATE, 0, 0, EYE),
               occ.addCylinder(0, WIDTH / 2, EYE_AT, PLATE, 0, 0, BORE))
    below = occ.addBox(0, WIDTH / 2 - EYE, EYE_AT - EYE, PLATE, 2 * EYE, EYE)
    lower = occ.intersect([(3, ring)], [(3, below)], removeObject=False)[0][0][1]
    upper = cut(ring, lower, keep=True)
    parts = occ.fragment([(3, steel)], [(3, lower), (3, upper)])[0]
    occ.synchronize()
    volumes = [tag for dim, tag in parts if dim == 3]
    steel = max(volumes, key=lambda tag: occ.getMass(3, tag))
    return steel, [tag for tag in volumes if tag != steel]


def bracket_groups(steel, bronze):
    """Names the groups, and returns the surfaces around which elements are fine."""
    bolts = boxed(2, lambda x0, y0, z0, x1, y1, z1: near((z0, 0), (z1, PLATE), (x1 - x0, 2 * BOLT),
                                                         (y1 - y0, 2 * BOLT)))
    bearing = boxed(2, lambda x0, y0, z0, x1, y1, z1: near((z0, EYE_AT - BORE), (z1, EYE_AT), (x1 - x0, PLATE),
                                                           (y1 - y0, 2 * BORE)))
    assert len(bolts) == 2 and len(bearing) == 1, (bolts, bearing)
    for dim, tags, name in ((3, [steel], "steel"), (3, bronze, "bronze"), (2, bolts, "bolts"),
                            (2, bearing, "bearing")):
        gmsh.model.addPhysicalGroup(dim, tags, name=name)
    return bolts + bearing


def sizes(what, tags, fine, coarse, near, far):
    """Elements of the size `fine` up to `near` from these entities, growing to `coarse` at `far`."""
    field = gmsh.model.mesh.field
    distance, threshold = field.add("Distance"), field.add("Threshold")
    field.setNumbers(distance, what, tags)
    field.setNumber(distance, "Sampling", 40)
    for name, value in (("InField", distance), ("SizeMin", fine), ("SizeMax", coarse), ("DistMin", near),
                        ("DistMax", far)):
        field.setNumber(threshold, name, value)
    field.setAsBackgroundMesh(threshold)
    for name in ("MeshSizeExtendFromBoundary", "MeshSizeFromPoints", "MeshSizeFromCurvature"):
        gmsh.option.setNumber("Mesh." + name, 0)


def bracket():
    begin()
    sizes("SurfacesList", bracket_groups(*bracket_shape()), FINE, SIZE, 2, 15)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.optimize("Netgen")
    gmsh.model.mesh.setOrder(2)
    gmsh.model.mesh.optimize("HighOrderElastic")
    gmsh.model.mesh.optimize("HighOrder")
    end("bracket", TET10)


# ---- the seal

OUTSIDE, INSIDE, FOOT, FLAT = 10, 6.5, 3, 3  # radii of the vault, thickness of the foot, half the width of the flat top
ACROSS, ALONG, CROWN = 3, 14, 3              # elements through the wall, along half of it, of half the crown


def seal():
    """The wall is four strips, of transfinite quadrilaterals: crown and side, left and right; the foot is below."""
    begin()
    geo = gmsh.model.geo
    height = math.sqrt(OUTSIDE**2 - FLAT**2)
    angle = math.atan2(height, FLAT)
    centre = geo.addPoint(0, FOOT, 0)

    def point(radius, at, sign):
        return geo.addPoint(sign * radius * math.cos(at), FOOT + radius * math.sin(at), 0)

    outer = {sign: [point(OUTSIDE, 0, sign), point(OUTSIDE, angle, sign)] for sign in (-1, 1)}
    inner = {sign: [point(INSIDE, 0, sign), point(INSIDE, angle, sign)] for sign in (-1, 1)}
    low = {sign: [geo.addPoint(sign * OUTSIDE, 0, 0), geo.addPoint(sign * INSIDE, 0, 0)] for sign in (-1, 1)}
    lines, surfaces = {}, []

    def line(a, b, count, arc=False):
        if (b, a) in lines: return -lines[b, a]
        if (a, b) not in lines:
            lines[a, b] = geo.addCircleArc(a, centre, b) if arc else geo.addLine(a, b)
            geo.mesh.setTransfiniteCurve(lines[a, b], count + 1)
        return lines[a, b]

    def strip(corners, first, second, arcs=(False, False)):
        """The quadrilateral a b c d, counter-clockwise, with `first` elements along ab and cd, `second` along the other
        sides."""
        a, b, c, d = corners
        loop = geo.addCurveLoop([line(a, b, first, arcs[0]), line(b, c, second), line(c, d, first, arcs[1]),
                                 line(d, a, second)])
        surfaces.append(geo.addPlaneSurface([loop]))
        geo.mesh.setTransfiniteSurface(surfaces[-1], cornerTags=corners)
        geo.mesh.setRecombine(2, surfaces[-1])

    for sign in (-1, 1):
        wall = [inner[sign][0], inner[sign][1], outer[sign][1], outer[sign][0]]
        edge = [low[sign][1], inner[sign][0], outer[sign][0], low[sign][0]]
        strip(wall[::-sign], ALONG, ACROSS, (True, True))
        strip(edge[::-sign], ACROSS, ACROSS)
    strip([inner[-1][1], inner[1][1], outer[1][1], outer[-1][1]], 2 * CROWN, ACROSS, (True, False))
    strip([low[-1][1], low[1][1], inner[1][0], inner[-1][0]], 3 * ACROSS, ACROSS)
    geo.synchronize()
    gmsh.model.addPhysicalGroup(2, surfaces, name="rubber")
    gmsh.model.addPhysicalGroup(1, boxed(1, lambda x0, y0, z0, x1, y1, z1: near((y0, 0), (y1, 0))), name="foot")
    gmsh.model.addPhysicalGroup(1, [abs(lines[outer[1][1], outer[-1][1]])], name="crown")
    gmsh.model.mesh.generate(2)
    gmsh.model.mesh.setOrder(2)
    end("seal", QUAD9)


# ---- the ball

RADIUS = 20
POLE, REST, PRESSED = 0.05, 2.5, 0.9  # of elements at the pole and elsewhere; how far from the pole they are small


def quadrilaterals(surface):
    """Makes a mesh of quadrilaterals alone, of triangles that are about halves of squares."""
    gmsh.option.setNumber("Mesh.Algorithm", 8)
    gmsh.option.setNumber("Mesh.RecombinationAlgorithm", 3)
    gmsh.model.mesh.setRecombine(2, surface)
    gmsh.model.mesh.generate(2)


def ball():
    """A quarter of a disc, whose axis is x = 0, about the origin; the pole is its lowest point."""
    begin()
    geo = gmsh.model.geo
    centre, pole, side = geo.addPoint(0, 0, 0), geo.addPoint(0, -RADIUS, 0), geo.addPoint(RADIUS, 0, 0)
    axis, rim, equator = geo.addLine(centre, pole), geo.addCircleArc(pole, centre, side), geo.addLine(side, centre)
    surface = geo.addPlaneSurface([geo.addCurveLoop([axis, rim, equator])])
    geo.synchronize()
    for dim, tags, name in ((2, [surface], "rubber"), (1, [axis], "axis"), (1, [equator], "equator")):
        gmsh.model.addPhysicalGroup(dim, tags, name=name)
    sizes("PointsList", [pole], POLE, REST, PRESSED, RADIUS)
    quadrilaterals(surface)
    end("ball", QUAD4)


# ---- the clip

ARM, HIGH = 24, 2.4                                       # the arm from its root to the hook; its height
HOOK = ((ARM, 4.4), (ARM + 1.5, 4.4), (ARM + 8, 1.2))     # from its back over its top and down the ramp
COARSE, SMALL = 0.8, 0.3                                  # of elements, of the arm and of the hook


def clip():
    begin()
    geo = gmsh.model.geo
    corners = [(0, 0), (HOOK[-1][0], 0), *HOOK[::-1], (ARM, HIGH), (0, HIGH)]
    points = [geo.addPoint(x, y, 0, SMALL if (x, y) in HOOK else COARSE) for x, y in corners]
    sides = [geo.addLine(a, b) for a, b in zip(points, points[1:] + points[:1])]
    surface = geo.addPlaneSurface([geo.addCurveLoop(sides)])
    geo.synchronize()
    for dim, tags, name in ((2, [surface], "plastic"), (1, [sides[-1]], "root"),
                            (1, [sides[0], sides[2]], "shaped")):
        gmsh.model.addPhysicalGroup(dim, tags, name=name)
    quadrilaterals(surface)
    gmsh.model.mesh.setOrder(2)
    end("clip", QUAD9)


MESHES = {"bracket": bracket, "seal": seal, "ball": ball, "clip": clip}
for mesh in sys.argv[1:] or MESHES:
    MESHES[mesh]()
