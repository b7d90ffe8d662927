#!/usr/bin/env python3
"""check_words.py -- what no file of ours says: a path of someone's machine, an address nobody vouched for, a promise
instead of code, bytes that are no text."""
import re
import sys

sys.dont_write_bytecode = True
import house

ADDRESSES = {  # hosts that our files may name, and what for
    "json-schema.org": "the draft that `piola schema` follows",
    "www.apache.org": "the licence",
    "keepachangelog.com": "the form of the changelog",
}
FAULTS = [
    (re.compile(r"(?<![\w.>)\]-])/(?:work|home|root|Users|mnt|srv|opt)/[\w.-]"), "path of one machine"),
    (re.compile(r"/tmp/(?!piola)\w[\w.-]*"), "path of one machine"),
    (re.compile(r"\bhelper-\w+|\bsand[- ]?box\w*|\bscratch ?pad\b", re.I), "word about how this was made"),
    (re.compile(r"\b(?:extra-)?index-" r"url\b|\btrusted-" r"host\b|\bhttps?_proxy\b", re.I), "setting of one network"),
    (re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"), "promise instead of code"),
    (re.compile(r"[ \t]+$", re.M), "blank at the end of a line"),
]
ADDRESS = re.compile(r"\b(?:https?|ftp)://([\w.-]+)")
# bad scenes and seeds of fuzz targets have odd bytes and blanks
ON_PURPOSE = re.compile(r"tests/data/(bad_scenes|corpus)/|LICENSE$")


def check(texts):
    faults = []
    for name, text in texts.items():
        for pattern, what in FAULTS if not ON_PURPOSE.match(name) else FAULTS[:4]:
            for match in pattern.finditer(text):
                faults.append(f"{name}:{house.line_of(text, match.start())}: {what}: '{match.group()}'")
        for match in ADDRESS.finditer(text):
            if match.group(1) not in ADDRESSES:
                faults.append(f"{name}:{house.line_of(text, match.start())}: address '{match.group()}' is not in the "
                              "list of tests/rules/check_words.py")
        if not ON_PURPOSE.match(name) and text and ("\r" in text or "\ufffd" in text or not text.endswith("\n")):
            faults.append(f"{name}: not UTF-8 text with line feeds, the last line too")
    return faults


PLANTED = [
    ("host/a.c", 'open("/ho' 'me/someone/x");\n', "path of one machine"),
    ("host/a.c", 'open("/tm' 'p/other/x");\n', "path of one machine"),
    ("README.md", "made in a sand" "box\n", "how this was made"),
    ("tools/a.sh", "pip install --index-" "url x\n", "one network"),
    ("tools/a.sh", "curl https:" "//example.org/x\n", "address"),
    ("host/a.c", "/* TO" "DO */\n", "promise"),
    ("host/a.c", "int x; \n", "blank"),
    ("host/a.c", "int x;\r\n", "line feeds"),
    ("host/a.c", "int x;", "line feeds"),
]


def main():
    house.control(check, PLANTED)
    names = house.files()
    names = [n for n in names if not n.endswith((".png", ".vtkhdf"))]
    return house.finish("words", check({name: house.read(name) for name in names}), len(names))


if __name__ == "__main__":
    sys.exit(main())
