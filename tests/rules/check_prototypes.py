#!/usr/bin/env python3
"""check_prototypes.py -- in the headers of house.CLEAN every function has a comment of its own, and in those of
kernels' arguments (*_args.h) and of the engine's interface (engine.h, engine_fem.h, engine_mpm.h) every member too.

The comment of a prototype, or of an inline function, stands directly above it, or behind a prototype at the end of its
line. One above it is made of sentences: it begins with a capital letter, a digit or a quote and ends with a full stop.
The heading of a section, between dashes, is no comment of a function. The comment of a member stands behind it at the
end of its line, or above it on lines of its own.

The comment of a function that returns a status says which. It names one other than PIOLA_OK, or whose errors are passed
on ("the errors of pio_stop()", "the errors of the engine"), or a group of errors that the header defines ("the errors
of a file"); or it says that the function "returns rc" or "returns `status`", its argument, or "always returns
PIOLA_OK".
"""
import re
import sys

sys.dont_write_bytecode = True
import house

# where members have comments
MEMBERS = ("_args.h", "solvers/engine/engine.h", "solvers/engine/engine_fem.h", "solvers/engine/engine_mpm.h")

COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Lines that are not part of a function: of the preprocessor, and the brackets of extern "C".
OTHER = re.compile(r'^[ \t]*#(?:.*\\\n)*.*$|^extern "C" \{$|(?<=#ifdef __cplusplus\n)\}$', re.M)
FUNCTION = re.compile(r"(?:[A-Za-z_]\w*[\s*]+)+?(?!(?:if|for|while|return|sizeof)\b)\(?\s*([A-Za-z_]\w*)\s*\(")


RETURNS_STATUS = re.compile(r"(?:(?:static|inline|extern)\s+)*piola_status\s+\w")
# The statuses of failures. Failures of computations, PIOLA_FAILED_..., are none.
STATUSES = re.findall(r"^    (PIOLA_(?!OK\b)[A-Z_]+) = ",
                      re.search(r"^typedef enum piola_status \{.*?^\}", house.read("include/piola_status.h"),
                                re.M | re.S).group(), re.M)
# What a comment says of errors, and where a header defines a group of them: "errors of a scene   PIOLA_...".
ERROR = re.compile(rf"\b(?:{'|'.join(STATUSES)})\b|\berrors of (?:the engine\b|[^.]*?\b\w+\(\))|"
                   r"\b[Rr]eturns (?:rc\b|`status`)|\b[Aa]lways returns PIOLA_OK\b")
GROUP = re.compile(r"errors of an? [a-z]+")
DEFINED = re.compile(r"^ \*\s+(errors of an? [a-z]+)\s{2,}.*\bPIOLA_[A-Z]", re.M)
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


def words_of(match):
    """The words of a comment, in one line."""
    return re.sub(r"\s*\n \*\s?", " ", match.group()[2:-2]).strip()


def fault_of(text, comments, begin, end):
    """What is wrong with the comment of the function at `begin`, or None; and the words of the comment, or ""."""
    for match in comments:
        words = words_of(match)
        if match.end() <= begin and text[match.end():begin] == "\n":
            if words.startswith("----"):
                return "the heading of a section is not its comment", ""
            if not re.match(r"[A-Z0-9`'\"|(]", words) or not words.endswith((".", ".)")):
                return f"its comment is no sentence: '{words[:60]}'", words
            return None, words
        if end >= 0 and match.start() >= end and "\n" not in text[end:match.start()]:
            return None, words
    return "it has no comment of its own, above it or at the end of its line", ""


def error_fault(text, words, begin):
    """What the comment of the function at `begin` does not say of errors, or None."""
    if not words or not RETURNS_STATUS.match(text, begin):
        return None
    groups = GROUP.findall(words)
    unknown = [group for group in groups if group not in DEFINED.findall(text)]
    if unknown:
        return f"the header does not define the {unknown[0]}"
    if not groups and not ERROR.search(words):
        return f"it returns a status, and its comment names no errors: '{words[:60]}'"
    return None


def check(texts):
    faults = []
    for name, text in texts.items():
        comments = list(COMMENT.finditer(text))
        for function, begin, end in functions(blanked(text)):
            fault, words = fault_of(text, comments, begin, end)
            for what in filter(None, (fault, error_fault(text, words, begin))):
                faults.append(f"{name}:{house.line_of(text, begin)}: {function}: {what}")
        for begin, end in members(blanked(text)) if name.endswith(MEMBERS) else ():
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
    ("include/a.h", "/* Runs. */\npiola_status a(void);\n", "a: it returns a status, and its comment names no errors"),
    ("include/a.h", "/* Runs. The errors of a run. */\npiola_status a(void);\n", "not define the errors of a run"),
    ("host/a.h", "void format_a(int b);\n", "format_a: it has no comment"),
    ("kernels/base/a.h", "/* a b */\nPIO_FN real a(void)\n{\n    return 1;\n}\n", "a: its comment is no sentence"),
    ("host/a.h", "/* Opens a. */\npiola_status a(int b);\n", "names no errors"),
    ("host/a.h", "/* Returns PIOLA_OK. */\npiola_status a(int b);\n", "names no errors"),
    ("host/a.h", "/* Fills PIOLA_FAILED_NOT. */\npiola_status a(int b);\n", "names no errors"),
    ("host/a.h", "piola_status a(int b); /* Opens a. */\n", "names no errors"),
    ("host/a.h", "/* Polls. */\nstatic inline piola_status a(void)\n{\n    return b();\n}\n", "names no errors"),
    ("kernels/base/a_args.h", "typedef struct {\n    int a; /* of a */\n    int b;\n} c;\n", "'int b;' has no comment"),
    ("kernels/base/a_args.h", "/* An a. */\ntypedef struct {\n    int b;\n} a;\n", "'int b;' has no comment"),
    ("solvers/engine/engine.h", "typedef struct {\n    int32_t a, b;\n} c;\n", "'int32_t a, b;' has no comment"),
    ("solvers/engine/engine_mpm.h", "typedef struct a {\n    int b;\n    int c; /* of c */\n} a;\n", "'int b;' has no"),
]


def main():
    house.control(check, PLANTED)
    names = [n for n in house.files(".h") if n.startswith(house.CLEAN) and not n.startswith("tests/")]
    texts = {name: house.read(name) for name in names}
    count = sum(len(list(functions(blanked(text)))) for text in texts.values())
    statuses = sum(bool(RETURNS_STATUS.match(text, begin))
                   for text in texts.values() for _, begin, _ in functions(blanked(text)))
    print(f"{count} functions, {statuses} of them return a status")
    if count < 1400 or statuses < 300:
        print("negative control: fewer functions were found than these headers had when this was written")
        return 1
    return house.finish("prototypes", check(texts), len(names))


if __name__ == "__main__":
    sys.exit(main())
