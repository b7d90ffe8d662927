#!/usr/bin/env python3
"""Where is a field that an optimisation found wrong, and by how much? Writes a copy of history.vtkhdf with one field
more, the logarithm of found over true, and prints its mean and largest size at the first and the last iteration.

    error_field.py HISTORY OUT --field NAME --truth VALUE [--box VALUE x0,y0[,z0] x1,y1[,z1]]...

The truth is VALUE everywhere but in boxes, which have their own (SI units; the last that holds a point counts). Needs
h5py. The field is called error_NAME; ParaView and `piola render` show it.
"""
import argparse
import shutil

import h5py
import numpy


def truth(points, everywhere, boxes):
    """The true value at each point."""
    values = numpy.full(len(points), everywhere)
    for value, low, high in boxes:
        low, high = ([float(text) for text in corner.split(",")] for corner in (low, high))
        part = points[:, :len(low)]
        values[numpy.all((part >= low) & (part <= high), axis=1)] = float(value)
    return values


def add(path, name, everywhere, boxes):
    """Add the field to the file; returns [frames][points] of it."""
    with h5py.File(path, "r+") as file:
        data, offsets = file["VTKHDF/PointData"], file["VTKHDF/Steps/PointDataOffsets"]
        found = data[name][:]
        points = file["VTKHDF/Points"][:]
        frames = len(file["VTKHDF/Steps/Values"])
        true = truth(points, everywhere, boxes)
        error = numpy.log(found / numpy.resize(true, len(found)))
        for group in data, offsets:
            group.copy(group[name], group, name="error_" + name)
        data["error_" + name][:] = error
        unit = data["error_" + name].attrs.get_id("units")
        unit.write(numpy.array(b"1", dtype=unit.dtype))
    return error.reshape(frames, -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history")
    parser.add_argument("out")
    parser.add_argument("--field", required=True)
    parser.add_argument("--truth", required=True, type=float)
    parser.add_argument("--box", nargs=3, action="append", default=[])
    given = parser.parse_args()
    shutil.copyfile(given.history, given.out)
    error = numpy.abs(add(given.out, given.field, given.truth, given.box))
    for frame, name in (0, "first"), (-1, "last"):
        print(f"{name} iteration: |log(found/true)| is {error[frame].mean():.4f} in the mean, {error[frame].max():.4f} "
              "at most")
    print(f"{given.out}: error_{given.field}")


if __name__ == "__main__":
    main()
