#!/usr/bin/env python3
"""reliability.py [--write] -- the counts of docs/reliability.md, from what the campaigns of tools/check.sh printed.

Each campaign leaves its output in build/campaigns/NAME.log. The lines that count are picked by the patterns below and stand, word for
word, between `<!-- counts -->` and `<!-- end counts -->` of the page, with the date and the commit. A campaign whose log is missing, or
has none of its lines, is an error: the page never says more than what ran. Without --write they are printed."""
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reliability.md"
PLACE = re.compile(r"(<!-- counts -->\n).*?(<!-- end counts -->)", re.S)
CAMPAIGNS = {  # name: (what it is, patterns of the lines that count; each must be there)
    "mutants": ("Damaged scenes, with address and undefined-behaviour sanitizers",
                (r"\d+ mutants of \d+ scenes .*", r"\d+ mutants through the command: .*")),
    "faults": ("Calls that fail, or at which the process is killed",
               (r"\d+ points, \d+ of which came to be, .*", r"  \w+ +\d+ points, exit codes .*")),
    "kills": ("An optimisation that is killed or loses power",
              (r"\d+ kills at random instants.*", r"\d+ kills at calls that write the record.*", r"\d+ power cuts from a log .*")),
    "damage": ("Damaged snapshots", (r"\d+ flipped bits: .*", r"\d+ files, .*", r"\d+ files .*ended the reader.*")),
    "fuzz": ("Readers under libFuzzer, with address and undefined-behaviour sanitizers",
             (r"fuzzed \w+: \d+ inputs .*", r"fuzzed in all: .*")),
    "resume": ("Runs and gradients that are interrupted", (r"\d+ kills, \d+ runs went on.*", r"Ran \d+ tests in .*")),
}


def chosen(name):
    """The lines of a campaign that count."""
    what, patterns = CAMPAIGNS[name]
    log = ROOT / "build" / "campaigns" / f"{name}.log"
    if not log.is_file():
        sys.exit(f"{log.relative_to(ROOT)} is missing: run tools/check.sh --{name} first")
    lines = log.read_text(errors="replace").split("\n")
    found = [[line for line in lines if re.fullmatch(pattern, line)] for pattern in patterns]
    if not all(found):
        sys.exit(f"{log.relative_to(ROOT)} has no line like '{patterns[[bool(f) for f in found].index(False)]}': did the campaign end?")
    wanted = {line for some in found for line in some}
    return what, [line.strip() for line in dict.fromkeys(lines) if line in wanted]


def counts():
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--tags"], capture_output=True, text=True, check=True)
    text = f"Counted on {datetime.date.today()}, commit {commit.stdout.strip()}, by `tools/check.sh`:\n"
    for name in CAMPAIGNS:
        what, lines = chosen(name)
        text += f"\n{what} (`tools/check.sh --{name}`):\n\n" + "".join(f"- {line}\n" for line in lines)
    return text


def main():
    text = counts()
    print(text, end="")
    if "--write" in sys.argv[1:]:
        page, n = PLACE.subn(lambda m: f"{m[1]}\n{text}\n{m[2]}", PAGE.read_text())
        if n != 1:
            sys.exit(f"{PAGE.relative_to(ROOT)} has no '<!-- counts -->'")
        PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
