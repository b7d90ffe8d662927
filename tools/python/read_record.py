#!/usr/bin/env python3
"""Read a record of Piola, such as evaluations.record: verify its checksums and print its rows.

    read_record.py FILE [--identity]

Exit 0: all of it is whole; 1: some of it is not, which is printed; 65: it is not a record, or its beginning is
damaged. The layout is in host/base/record.h. As a module: Record(bytes) has identity, rows [(type, number, payload)],
damaged [(begin, end)] and rest, the byte from which on there is no whole row; evaluations(record, variables,
constraints) has the numbers of each evaluation.
"""
import argparse
import pathlib
import struct
import sys
import zlib

HEAD = struct.Struct("<8sI4sQII")
ROW = struct.Struct("<4sIQQII")
MARK = b"\xC5ROW"


class Record:
    """What is in the bytes of a record; ValueError where they are none."""

    def __init__(self, data):
        if len(data) < HEAD.size or data[:8] != b"\x89PIOREC\n":
            raise ValueError("no record of Piola, or its first bytes are damaged")
        _, self.version, self.kind, length, of_identity, self.seed = HEAD.unpack_from(data)
        identity = data[HEAD.size:HEAD.size + length]
        if zlib.crc32(data[:28]) != self.seed:
            raise ValueError("the checksum of its first 32 bytes is wrong")
        if self.version != 1:
            raise ValueError(f"its layout is of version {self.version}; this reads version 1")
        if len(identity) < length or zlib.crc32(identity) != of_identity:
            raise ValueError("the checksum of its identity is wrong")
        self.identity, self.rows, self.damaged, self.rest = identity.decode(), [], [], HEAD.size + length
        while (at := self.next_row(data, self.rest)) >= 0:
            if at > self.rest:
                self.damaged.append((self.rest, at))
            _, kind, number, size, *_ = ROW.unpack_from(data, at)
            self.rows.append((kind, number, data[at + ROW.size:at + ROW.size + size]))
            self.rest = at + ROW.size + size

    def next_row(self, data, at):
        """The first byte from `at` on where a whole row begins, or -1."""
        while 0 <= (at := data.find(MARK, at)) <= len(data) - ROW.size:
            _, _, _, size, of_payload, of_row = ROW.unpack_from(data, at)
            payload = data[at + ROW.size:at + ROW.size + size]
            if zlib.crc32(data[at:at + 28], self.seed) == of_row and len(payload) == size and \
                    zlib.crc32(payload, self.seed) == of_payload:
                return at
            at += 1
        return -1


def evaluations(record, variables, constraints=0):
    """{number: {z, J, gradient, c, c_gradient}}; a later row takes the place of one of the same number."""
    n, m, found = variables, constraints, {}
    for _, number, payload in record.rows:
        values = struct.unpack(f"<{len(payload) // 8}d", payload)
        terms = 2 * n + 1 + m + m * n
        found[number] = {"z": values[:n], "J": values[n], "gradient": values[n + 1:2 * n + 1],
                         "c": values[2 * n + 1:2 * n + 1 + m], "c_gradient": values[2 * n + 1 + m:terms],
                         "terms": values[terms:]}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--identity", action="store_true", help="print of which run it is, too")
    given = parser.parse_args()
    data = given.file.read_bytes()
    try:
        record = Record(data)
    except ValueError as why:
        print(f"{given.file}: {why}", file=sys.stderr)
        return 65
    print(f"{given.file}: kind {record.kind.decode()}, {len(record.rows)} rows")
    if given.identity:
        print(record.identity)
    for kind, number, payload in record.rows:
        first = " ".join(f"{v:.9g}" for v in struct.unpack_from(f"<{min(len(payload) // 8, 4)}d", payload))
        print(f"row {number}: type {kind}, {len(payload)} bytes, {first}{' ...' if len(payload) > 32 else ''}")
    for begin, end in record.damaged:
        print(f"damaged: bytes {begin} to {end - 1}")
    if record.rest < len(data):
        print(f"not a whole row: bytes {record.rest} to {len(data) - 1}")
    return 1 if record.damaged or record.rest < len(data) else 0


if __name__ == "__main__":
    sys.exit(main())
