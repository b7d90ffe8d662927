"""gallery_reports.py -- the reports of docs/gallery/: which scenes have one, and what is wrong with a page.

A page is one file that needs no other file and no network, is small enough for a repository, and says nothing of the
folders of the machine that made it. check_docs.py holds that, make_gallery.py writes the pages.
"""
import base64
import binascii
import html.parser
import re

PAGE_BYTES, ALL_BYTES = 1_000_000, 6_000_000
MARK = "<!DOCTYPE html>\n<!-- piola report -->\n"  # how `piola report` begins a page
POLICY = "default-src 'none'; "
# Layouts, shapes, gaits with a body, and studies: what they find is a design, and a picture shows the least of it.
KINDS = re.compile(r"(mpm_)?(topology|shape|codesign|study)_")
EMBEDDED = re.compile(r"data:(image/png|video/webm);base64,([A-Za-z0-9+/=]+)\Z")
ADDRESSES = ("src", "href", "srcset", "action", "data", "poster", "xlink:href")
LOADING = re.compile(r"url\(|@import|fetch\(|XMLHttpRequest|https?://|file://")
# Two names at least, so that units such as kg/m3 and quotients are none.
ABSOLUTE = re.compile(r"(?:^|[\s\"'=:,;()<>\[\]{}])(~?/[\w.+-]+/[\w.+/-]*)")


def has_report(scene):
    """Whether a scene of that name has a report in the gallery."""
    return bool(KINDS.match(scene))


class Page(html.parser.HTMLParser):
    """What a page says, what it refers to, and what is embedded in it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.texts, self.addresses, self.ids, self.policy = [], [], set(), ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        of = dict(attrs)
        if tag == "meta" and of.get("http-equiv") == "Content-Security-Policy":
            self.policy = of.get("content", "")
        if "id" in of:
            self.ids.add(of["id"])
        self.addresses += [of[name] or "" for name in ADDRESSES if name in of]
        self.texts += [text for name, text in attrs if text and name not in ADDRESSES]

    def handle_data(self, data):
        self.texts.append(data)


def embedded_faults(kind, coded):
    """What is wrong with a picture or a film that is embedded."""
    try:
        data = base64.b64decode(coded, validate=True)
    except binascii.Error:
        yield f"a {kind} of it is damaged"
        return
    if not data.startswith(b"\x89PNG" if kind == "image/png" else b"\x1a\x45\xdf\xa3"):
        yield f"what it says is {kind} is something else"


def page_faults(text):
    """What is wrong with the text of a page."""
    if not text.startswith(MARK) or not text.rstrip().endswith("</html>"):
        yield "is no whole page of `piola report`"
    page = Page(text)
    if not page.policy.startswith(POLICY):
        yield "has no policy that forbids it to load anything"
    for address in page.addresses:
        part = EMBEDDED.match(address)
        if part:
            yield from embedded_faults(*part.groups())
        elif not address.startswith("#"):
            yield f"refers to {address[:60]}, which is not in it"
        elif address[1:] not in page.ids:
            yield f"leads to {address[:60]}, which it does not have"
    said = "\n".join(page.texts)
    for found in LOADING.findall(said):
        yield f"has '{found}', which could load something"
    for path in sorted(set(ABSOLUTE.findall(said))):
        yield f"names {path}, a folder of the machine that made it"


def size_faults(sizes):
    """What is too large, of the bytes of each page."""
    yield from (f"{name}: {size} bytes; at most {PAGE_BYTES}" for name, size in sizes.items() if size > PAGE_BYTES)
    if sum(sizes.values()) > ALL_BYTES:
        yield f"the reports of the gallery have {sum(sizes.values())} bytes together; at most {ALL_BYTES}"


def all_faults(folder):
    """What is wrong with the pages in a folder."""
    pages = {path.name: path for path in sorted(folder.glob("*.html"))}
    found = list(size_faults({name: path.stat().st_size for name, path in pages.items()}))
    for name, path in pages.items():
        found += [f"{folder.name}/{name}: {fault}" for fault in page_faults(path.read_text(encoding="utf-8"))]
    return found


# A page with nothing wrong, and a change of it for each thing that may be: (what is replaced, by what, a part of what
# is to be found).
SAMPLE = MARK + """<html lang="en"><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:"></head>
<body><a href="#files">files</a><p id="files">piola optimize scenes/a.yaml, 3 kg/m3, 1 / 2, a/b/c</p>
<img alt="a" src="data:image/png;base64,iVBORw0KGgo="></body></html>
"""
PLANTED = (
    ("<!-- piola report -->", "", "no whole page"),
    ("</html>", "", "no whole page"),
    ("default-src 'none'; ", "", "no policy"),
    ("iVBORw0KGgo=", "iVBORw0KG", "is damaged"),
    ("iVBORw0KGgo=", "AAAA", "is something else"),
    ("data:image/png;base64,iVBORw0KGgo=", "//elsewhere/a.png", "refers to //elsewhere/a.png"),
    ("data:image/png;base64,iVBORw0KGgo=", "a.png", "refers to a.png"),
    ("#files", "#nowhere", "leads to #nowhere"),
    ("1 / 2", "url(a.png)", "has 'url('"),
    ("piola optimize", "/disk/someone/piola optimize", "names /disk/someone/piola"),
    ("scenes/a.yaml", "-o=~/results/a", "names ~/results/a"),
    ('alt="a"', 'alt="/disk/data/a"', "names /disk/data/a"),
)


def control():
    """Whether each planted fault is found alone, and none where there is none."""
    if list(page_faults(SAMPLE)) or list(size_faults({"a": PAGE_BYTES})):
        return False
    if len(list(size_faults({"a": PAGE_BYTES + 1}))) != 1:
        return False
    if len(list(size_faults({str(i): PAGE_BYTES for i in range(ALL_BYTES // PAGE_BYTES + 1)}))) != 1:
        return False
    for old, new, part in PLANTED:
        found = list(page_faults(SAMPLE.replace(old, new)))
        if len(found) != 1 or part not in found[0]:
            print(f"{old!r} became {new!r}: found {found}")
            return False
    return True
