#!/usr/bin/env python3
"""check_claims.py -- every test claims something, and one that does not apply says so by skip().

A test is a function that cmocka_unit_test() names, or a function test_... of a Python script. It reaches an assertion
(for pytest also the statement, or raises()) through functions of its own file, or calls one of JUDGES, which assert
what they are given. Builders of cases assert too, that a case could be built: that is no claim of the test that calls
them. And no test ends by `return`.
"""
import ast
import re
import sys

sys.dont_write_bytecode = True
import house

# Functions of headers and sources that several tests share, and whose arguments are a claim.
JUDGES = ("all_must_hold", "case_below", "fem_case_below", "mpm_taylor_end", "out_and_back", "refused_sets",
          "taylor_end")
TEST = re.compile(r"\bcmocka_unit_test\w*\(\s*(\w+)")
HEAD = re.compile(r"^[A-Za-z_][^;{}#]*?\b(\w+)\s*\(([^;{}]*)\)\s*\{", re.M)
MACRO = re.compile(r"^#define (\w+)\(.*(?:\\\n.*)*", re.M)
CLAIM = re.compile(r"\b(?:_?assert_\w+|_?fail(?:_msg)?|" + "|".join(JUDGES) + r")\s*\(")


def bodies(text):
    """{function or macro: its text}, of C text without comments and strings."""
    found = {}
    for head in HEAD.finditer(text):
        depth, at = 1, head.end()
        while depth and at < len(text):
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        found[head.group(1)] = text[head.end():at]
    for macro in MACRO.finditer(text):
        found[macro.group(1)] = macro.group()
    return found


def reaches(name, words, claims):
    """Whether `name`, or what it names, directly or not, is in `claims`; words: {function: names in its text}."""
    seen, todo = {name}, [name]
    while todo:
        one = todo.pop()
        if one in claims:
            return True
        new = {word for word in words[one] if word in words} - seen
        seen |= new
        todo += new
    return False


def c_faults(name, text):
    text = house.without_comments(text, strings=True)
    found = bodies(text)
    words = {function: set(re.findall(r"\w+", body)) for function, body in found.items()}
    claims = {function for function, body in found.items() if CLAIM.search(body)}
    for test in TEST.findall(text):
        if test not in found:
            yield f"{name}: {test} is no function of this file"
            continue
        if not reaches(test, words, claims):
            yield f"{name}: {test} asserts nothing"
        if re.search(r"\breturn\b", found[test]):
            yield f"{name}: {test} ends by return; a test that does not apply uses skip()"


def python_faults(name, text):
    functions = {f.name: f for f in ast.walk(ast.parse(text)) if isinstance(f, ast.FunctionDef)}
    words = {f: {n.attr if isinstance(n, ast.Attribute) else n.id for n in ast.walk(node)
                 if isinstance(n, (ast.Attribute, ast.Name))} for f, node in functions.items()}
    claims = {f for f, node in functions.items()
              if any(word.startswith("assert") or word in ("fail", "AssertionError", "raises") for word in words[f])
              or any(isinstance(n, ast.Assert) for n in ast.walk(node))}
    for test in (f for f in functions if f.startswith("test_")):
        if not reaches(test, words, claims):
            yield f"{name}: {test} asserts nothing"
        inner = {n for f in ast.walk(functions[test]) if isinstance(f, ast.FunctionDef) and f is not functions[test]
                 for n in ast.walk(f)}
        if any(isinstance(n, ast.Return) and n not in inner for n in ast.walk(functions[test])):
            yield f"{name}: {test} ends by return; a test that does not apply uses self.skipTest()"


def check(texts):
    return [fault for name, text in texts.items()
            for fault in (python_faults if name.endswith(".py") else c_faults)(name, text)]


REGISTERED = "int main(void)\n{\n    const struct CMUnitTest tests[] = {cmocka_unit_test(one)};\n}\n"
PLANTED = [
    ("tests/a.c", "static void one(void **unused)\n{\n    int x = 1; /* assert_true(x) */\n}\n" + REGISTERED,
     "one asserts nothing"),
    ("tests/a.c", "static void two(int x)\n{\n    case_create(x);\n}\n"
     "static void one(void **unused)\n{\n    two(1);\n}\n" + REGISTERED, "one asserts nothing"),
    ("tests/a.c", "static void one(void **unused)\n{\n    if (D == 2) return;\n    assert_true(1);\n}\n"
     + REGISTERED, "one ends by return"),
    ("tests/a.c", REGISTERED, "one is no function"),
    ("tests/a.py", "class A:\n    def helper(self):\n        pass\n    def test_one(self):\n        self.helper()\n",
     "test_one asserts nothing"),
    ("tests/a.py", "def test_one():\n    x = 1\n    print(x)\n", "test_one asserts nothing"),
    ("tests/a.py", "class A:\n    def test_one(self):\n        if 1:\n            return\n        self.fail()\n",
     "test_one ends by return"),
]
RIGHT = {
    "tests/a.c": "static void two(int x)\n{\n    assert_true(x);\n}\n"
                 "static void one(void **unused)\n{\n    two(1);\n}\n" + REGISTERED,
    "tests/a.py": "class A:\n    def test_one(self):\n        def two():\n            return 1\n"
                  "        self.assertTrue(two())\n",
    "tests/b.py": "def test_one():\n    assert 1\ndef test_two():\n    with pytest.raises(E):\n        f()\n",
}


def main():
    house.control(check, PLANTED)
    if check(RIGHT):
        print(f"negative control: tests that assert were rejected: {check(RIGHT)}")
        return 1
    names = [name for name in house.files(".c", ".cpp", ".py") if name.startswith("tests/")]
    texts = {name: house.read(name) for name in names}
    count = sum(len(TEST.findall(text)) for name, text in texts.items() if not name.endswith(".py"))
    if count < 700:
        print(f"only {count} tests of cmocka were found")
        return 1
    return house.finish("claims", check(texts), len(names))


if __name__ == "__main__":
    sys.exit(main())
