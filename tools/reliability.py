#!/usr/bin/env python3
"""reliability.py [--write] -- the counts of docs/reliability.md, from what the campaigns of tools/check.sh printed.

Each campaign leaves its output in build/campaigns/NAME.log, below a line with its commit and its day. The lines that
count are picked by the patterns below and stand, word for word, between `<!-- counts -->` and `<!-- end counts -->` of
the page, whose lines are as short as those of other pages. A campaign whose log is missing, or has none of its lines,
is an error: the page never says more than what ran. Without --write they are printed."""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reliability.md"
LINE_LENGTH = 120  # as tests/rules/check_docs.py has it
PLACE = re.compile(r"(<!-- counts -->\n).*?(<!-- end counts -->)", re.S)
CAMPAIGNS = {  # name: (what it is, patterns of the lines that count; each must be there)
    "mutants": ("Damaged scenes, with address and undefined-behaviour sanitizers",
                (r"\d+ mutants of \d+ scenes .*", r"\d+ mutants through the command: .*")),
    "faults": ("Calls that fail, or at which the process is killed",
               (r"\d+ points, \d+ of which came to be, in .*", r"\d+ points, \d+ of which came to be, were searched .*",
                r"  \w+ +\d+ points, exit codes .*")),
    "kills": ("An optimisation that is killed or loses power",
              (r"\d+ kills at random instants.*", r"\d+ kills at calls that write the record.*",
               r"\d+ power cuts from a log .*")),
    "damage": ("Damaged snapshots",
               (r"\d+ flipped bits: .*", r"\d+ files, .*", r"\d+ damaged files .*", r"\d+ files .*ended the reader.*")),
    "fuzz": ("Readers under libFuzzer, with address and undefined-behaviour sanitizers",
             (r"fuzzed \w+: \d+ inputs .*", r"fuzzed in all: .*")),
    "resume": ("Runs and gradients that are interrupted",
               (r".*?(\d+ kills, \d+ runs went on.*)", r"Ran \d+ tests in .*")),
}


def filled(text, indent=""):
    """The text in lines of the page; those after the first begin with `indent`. Blanks within a line stay."""
    return textwrap.fill(text, LINE_LENGTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def chosen(name):
    """The lines of a campaign that count, below what it is."""
    what, patterns = CAMPAIGNS[name]
    log = ROOT / "build" / "campaigns" / f"{name}.log"
    if not log.is_file():
        sys.exit(f"{log.relative_to(ROOT)} is missing: run tools/check.sh --{name} first")
    lines = log.read_text(errors="replace").split("\n")
    when = re.fullmatch(rf"campaign {name}\b.*, commit ([\w.-]+), (\d{{4}}-\d\d-\d\d)", lines[0])
    if not when or when[1].endswith("-dirty"):
        sys.exit(f"{log.relative_to(ROOT)} does not begin with the commit and the day of a campaign, or with a changed "
                 f"tree: {lines[0]}")
    matches = [[m for m in (re.fullmatch(pattern, line) for line in lines) if m] for pattern in patterns]
    found = [[m[m.lastindex or 0] for m in some] for some in matches]
    if not all(found):
        sys.exit(f"{log.relative_to(ROOT)} has no line like '{patterns[[bool(f) for f in found].index(False)]}': did "
                 "the campaign end?")
    wanted = dict.fromkeys(line.strip() for some in found for line in some)
    title = filled(f"{what} (`tools/check.sh --{name}`, commit {when[1]}, {when[2]}):")
    return f"\n{title}\n\n" + "".join(filled(f"- {line}", "  ") + "\n" for line in wanted)


def main():
    text = "".join(chosen(name) for name in CAMPAIGNS)
    print(text, end="")
    if "--write" in sys.argv[1:]:
        page, n = PLACE.subn(lambda m: f"{m[1]}{text}\n{m[2]}", PAGE.read_text())
        if n != 1:
            sys.exit(f"{PAGE.relative_to(ROOT)} has no '<!-- counts -->'")
        PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
