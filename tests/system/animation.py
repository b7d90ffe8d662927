"""animation.py -- readers of films for tests: animated PNGs with a palette, and the elements of EBML."""
import struct
import zlib


def chunks_of(data):
    """The chunks of a PNG as (type, content); their checksums are compared."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, found = 8, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + content), kind
        found.append((kind, content))
        at += 12 + length
    return found


class Animation:
    """An animated PNG with a palette, read by the specification: `frames` are rows of RGB, `delays` in seconds."""

    def __init__(self, path):
        self.path, self.frames, self.delays, self.rectangles = path, [], [], []
        sequence, canvas, palette, control, packed = 0, None, b"", None, b""
        chunks = chunks_of(path.read_bytes())
        assert [kind for kind, _ in chunks][:6] == [b"IHDR", b"sRGB", b"acTL", b"PLTE", b"tRNS", b"fcTL"], chunks[:6]
        for kind, content in chunks:
            if kind == b"IHDR":
                self.width, self.height, bits, colour = struct.unpack(">IIBB", content[:10])
                assert (bits, colour) == (8, 3), "no palette"
                canvas = [[0] * self.width for _ in range(self.height)]
            elif kind == b"acTL":
                self.count, self.plays = struct.unpack(">II", content)
            elif kind == b"PLTE":
                palette = [tuple(content[i:i + 3]) for i in range(0, len(content), 3)]
            elif kind == b"tRNS":
                assert content == b"\0", "only colour 0 is transparent"
            elif kind in (b"fcTL", b"IEND"):
                if control:
                    self.draw(canvas, control, zlib.decompress(packed))
                    self.frames.append([[palette[c] for c in row] for row in canvas])
                if kind == b"fcTL":
                    number, control, packed = struct.unpack(">I", content[:4])[0], content[4:], b""
                    assert number == sequence, (number, sequence)
                    sequence += 1
            elif kind == b"IDAT":
                assert not self.frames
                packed += content
            elif kind == b"fdAT":
                assert struct.unpack(">I", content[:4])[0] == sequence
                sequence += 1
                packed += content[4:]

    def draw(self, canvas, control, raw):
        w, h, x0, y0, above, below, dispose, blend = struct.unpack(">IIIIHHBB", control)
        assert dispose == 0 and x0 + w <= self.width and y0 + h <= self.height and len(raw) == h * (w + 1)
        self.delays.append(above / below)
        self.rectangles.append((x0, y0, w, h))
        for y in range(h):
            row = raw[y * (w + 1):(y + 1) * (w + 1)]
            assert row[0] == 0, "a filter"
            for x in range(w):
                if row[x + 1] or not blend:
                    canvas[y0 + y][x0 + x] = row[x + 1]
        assert all(all(row) for row in canvas), "a pixel is transparent"


def elements_of(data, at=0, end=None):
    """The elements of EBML between two places as (id, content, its place), without those inside."""
    end = len(data) if end is None else end
    found = []
    while at < end:
        n = 9 - data[at].bit_length()
        name, at = data[at:at + n].hex(), at + n
        n = 9 - data[at].bit_length()
        size, at = int.from_bytes(data[at:at + n], "big") & (1 << 7 * n) - 1, at + n
        assert at + size <= end, f"{name} ends beyond its parent"
        found.append((name, data[at:at + size], at))
        at += size
    return found
