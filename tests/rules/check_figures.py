#!/usr/bin/env python3
"""check_figures.py -- the figures of the pages have the form that tools/figures.sh writes, so that it can renew them.

Each name of FORMS in tools/python/figures.py stands once behind a mark `figures NAME` of its page, and what is there
matches the form, with any figures and any wrapping. As a negative control, a text with a figure left out, with another
word and with a row too few must not match, and one that is filled must.

The case of the benchmark is as tools/compare_peers.py says, which compares nothing with Warp otherwise; a source of
another spacing must be found.
"""
import ast
import re
import sys

sys.dont_write_bytecode = True
import house

sys.path.insert(0, str(house.ROOT / "tools/python"))
import figures

PEERS, BENCH_CASE = "tools/compare_peers.py", "host/bench/bench_case.c"
EXAMPLE = {"machine": "2 cores of Some Processor (family 6 model 1)", "commit": "0123abcd", "old": "89abcdef",
           "date": "2026-01-31"}


def filled(name):
    """A text of the form with figures of no meaning."""
    _, paragraph, rows = figures.FORMS[name]
    names = re.findall(r"\{(\w+)\}", paragraph + rows)
    fields = {field: EXAMPLE.get(field.removeprefix("mesh_"), "1,234.5") for field in names}
    return figures.form_text(name, fields)


def other_case(source):
    """The words of the benchmark's case in tools/compare_peers.py that its source has not."""
    for node in ast.parse(house.read(PEERS)).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "SOURCE":
            yield from (words for words in ast.literal_eval(node.value) if words not in source)
            return
    yield "SOURCE"


def control():
    """What the check would miss, one line each."""
    if len(list(other_case(house.read(BENCH_CASE).replace("spacing = 0.01", "spacing = 0.02")))) != 1:
        yield f"{PEERS}: another spacing is not found"
    for name in figures.FORMS:
        good, pattern = filled(name), figures.form_pattern(name)
        spoiled = {"a figure is left out": good.replace("1,234.5", "", 1), "another word": good.replace(" ", " x ", 1),
                   "a row too few": good[:good.rstrip("\n").rfind("\n")], "nothing": ""}
        if not pattern.fullmatch(good.strip()):
            yield f"{name}: a text that was filled does not match its form"
        for what, text in spoiled.items():
            if pattern.fullmatch(text.strip()):
                yield f"{name}: {what}, and it matches"


def faults():
    for words in other_case(house.read(BENCH_CASE)):
        yield f"{PEERS}: {BENCH_CASE} has no longer `{words}`"
    pages = {page: house.read(page) for page, _, _ in figures.FORMS.values()}
    for name, (page, _, _) in figures.FORMS.items():
        texts = [match[3] for match in figures.MARK.finditer(pages[page]) if match[2] == name]
        if len(texts) != 1:
            yield f"{page}: {len(texts)} marks `figures {name}`, and one is wanted"
        elif not figures.form_pattern(name).fullmatch(texts[0].strip()):
            yield f"{page}: what is behind `figures {name}` has not the form that tools/figures.sh writes"
    for page, text in pages.items():
        known = {name for name, form in figures.FORMS.items() if form[0] == page}
        for name in sorted(set(re.findall(r"<!-- figures ([\w-]+) -->", text)) - known):
            yield f"{page}: no figures are called {name}"


def main():
    missed = list(control())
    for line in missed:
        print(f"negative control: {line}")
    if missed:
        return 1
    print(f"negative control: {4 * len(figures.FORMS) + 1} planted faults were found")
    return house.finish("figures", list(faults()), len(figures.FORMS))


if __name__ == "__main__":
    sys.exit(main())
