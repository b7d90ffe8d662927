#!/usr/bin/env python3
"""check_prototypes.py -- in the headers of house.CLEAN every function has a comment of its own, and in those of
kernels' arguments (*_args.h) every member too.

The comment of a prototype, or of an inline function, stands directly above it, or behind a prototype at the end of its
line. One above it is made of sentences: it begins with a capital letter, a digit or a quote and ends with a full stop.
The heading of a section, between dashes, is no comment of a function. In a public header, the comment of a function
that returns a status names its errors, or a group of them that the header defines. The comment of a member stands
behind it at the end of its line, or above it on lines of its own.
"""
import re
import sys

sys.dont_write_bytecode = True
import house

COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Lines that are not part of a function: of the preprocessor, and the brackets of extern "C".
OTHER = re.compile(r'^[ \t]*#(?:.*\\\n)*.*$|^extern "C" \{$|(?<=#ifdef __cplusplus\n)\}$', re.M)
FUNCTION = re.compile(r"(?:[A-Za-z_]\w*[\s*]+)+?(?!(?:if|for|while|return|sizeof)\b)\(?\s*([A-Za-z_]\w*)\s*\(")


# What a comment says of errors, and where a public header defines a group of them: "errors of a scene   PIOLA_...".
STATUS, GROUP = re.compile(r"\bPIOLA_[A-Z_]+\b"), re.compile(r"errors of (?:a|an) [a-z]+")
DEFINED = re.compile(r"^ \*\s+(errors of (?:a|an) [a-z]+)\s+.*", re.M)
STRUCT = re.compile(r"^typedef struct(?: \w+)? \{\n(.*?)^\} ", re.M | re.S)


def blanked(text):
    """The text without comments, texts in quotes, and lines that are not part of a function; places stay."""
    code = OTHER.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), house.without_comments(text))
    return house.without_comments(code, strings=True)


def functions(code):
    """(name, begin, end) of the functions of a header; `end` is behind a prototype's semicolon, or -1 for a body."""
    at, depth = 0, 0
    for i, c in enumerate(code):
        if c == "{":
            if depth == 0:
                begin = code[at:i]
                found = FUNCTION.match(begin.lstrip())
                if found and ")" in begin and "=" not in begin:
                    yield found.group(1), at + len(begin) - len(begin.lstrip()), -1
                    at = -1
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0 and at == -1:
                at = i + 1
        elif c == ";" and depth == 0:
            begin = code[at:i]
            found = FUNCTION.match(begin.lstrip())
            if found and not begin.lstrip().startswith(("typedef", "extern const", "struct")) and "{" not in begin:
                yield found.group(1), at + len(begin) - len(begin.lstrip()), i + 1
            at = i + 1


def members(code):
    """(begin, end) of the members of the structures of a header; `end` is behind the semicolon."""
    for struct in STRUCT.finditer(code):
        at = struct.start(1)
        for match in re.finditer(";", struct.group(1)):
            end = struct.start(1) + match.end()
            yield end - len(code[at:end].lstrip()), end
            at = end


def is_commented(text, comments, begin, end):
    """Whether the member has a comment behind it on its line, or above it on lines of its own."""
    for match in comments:
        if match.start() >= end and "\n" not in text[end:match.start()]:
            return True
        alone = not text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip()
        if alone and match.end() <= begin and text[match.end():begin].strip(" ") == "\n":
            return True
    return False


def fault_of(text, comments, begin, end):
    """What is wrong with the comment of the function at `begin`, or None."""
    for match in comments:
        if match.end() <= begin and text[match.end():begin] == "\n":
            words = re.sub(r"\s*\n \*\s?", " ", match.group()[2:-2]).strip()
            if words.startswith("----"):
                return "the heading of a section is not its comment"
            if not re.match(r"[A-Z0-9`'\"|(]", words) or not words.endswith((".", ".)")):
                return f"its comment is no sentence: '{words[:60]}'"
            return None
        if end >= 0 and match.start() >= end and "\n" not in text[end:match.start()]:
            return None
    return "it has no comment of its own, above it or at the end of its line"


def comment_of(text, comments, begin, end):
    """The comment of a function that has one, in one line."""
    for match in comments:
        above = match.end() <= begin and text[match.end():begin] == "\n"
        if above or (end >= 0 and match.start() >= end and "\n" not in text[end:match.start()]):
            return re.sub(r"\s*\n \*\s?", " ", match.group())
    return ""


def error_faults(name, text):
    """Functions of a public header that return a status and do not say which."""
    comments, groups = list(COMMENT.finditer(text)), DEFINED.findall(text)
    for function, begin, end in functions(blanked(text)):
        if not text[begin:].startswith("piola_status "):
            continue
        says = comment_of(text, comments, begin, end)
        unknown = [group for group in GROUP.findall(says) if group not in groups]
        if unknown:
            yield f"{name}:{house.line_of(text, begin)}: {function}: the header does not define the {unknown[0]}"
        elif not STATUS.search(says) and not GROUP.search(says):
            yield f"{name}:{house.line_of(text, begin)}: {function}: its comment names no errors"


def check(texts):
    faults = []
    for name, text in texts.items():
        comments = list(COMMENT.finditer(text))
        for function, begin, end in functions(blanked(text)):
            fault = fault_of(text, comments, begin, end)
            if fault:
                faults.append(f"{name}:{house.line_of(text, begin)}: {function}: {fault}")
        faults += error_faults(name, text) if name.startswith("include/") else []
        for begin, end in members(blanked(text)) if name.endswith("_args.h") else ():
            if not is_commented(text, comments, begin, end):
                faults.append(f"{name}:{house.line_of(text, begin)}: the member '{text[begin:end]}' has no comment")
    return faults


PLANTED = [
    ("host/a.h", "/* Returns a. */\nint a(void);\nint b(void);\n", "b: it has no comment"),
    ("host/a.h", "/* Frees a. */\n\nvoid a(void);\n", "a: it has no comment"),
    ("host/a.h", "/* ---- files ---- */\nvoid a(void);\n", "a: the heading of a section"),
    ("host/a.h", "/* free it */\nvoid a(void);\n", "a: its comment is no sentence"),
    ("host/a.h", "static inline int a(void)\n{\n    return 1;\n}\n", "a: it has no comment"),
    ("host/a.h", "void a(int b) /* of b */\n    __attribute__((cold));\n", "a: it has no comment"),
    ("include/a.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\nconst char *a(int b);\n", "a: it has no comment"),
    ("include/a.h", "/* Runs. */\npiola_status a(void);\n", "a: its comment names no errors"),
    ("include/a.h", "/* Runs. The errors of a run. */\npiola_status a(void);\n", "not define the errors of a run"),
    ("host/a.h", "void format_a(int b);\n", "format_a: it has no comment"),
    ("kernels/base/a.h", "/* a b */\nPIO_FN real a(void)\n{\n    return 1;\n}\n", "a: its comment is no sentence"),
    ("kernels/base/a_args.h", "typedef struct {\n    int a; /* of a */\n    int b;\n} c;\n", "'int b;' has no comment"),
    ("kernels/base/a_args.h", "/* An a. */\ntypedef struct {\n    int b;\n} a;\n", "'int b;' has no comment"),
]


def main():
    house.control(check, PLANTED)
    names = [n for n in house.files(".h") if n.startswith(house.CLEAN) and not n.startswith("tests/")]
    texts = {name: house.read(name) for name in names}
    count = sum(len(list(functions(blanked(text)))) for text in texts.values())
    print(f"{count} functions")
    if count < 1400:
        print("negative control: fewer functions were found than these headers had when this was written")
        return 1
    return house.finish("prototypes", check(texts), len(names))


if __name__ == "__main__":
    sys.exit(main())
