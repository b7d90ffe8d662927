#!/usr/bin/env python3
"""test_tutorial.py PIOLA [PAGE] -- does what docs/tutorial.md (or PAGE) instructs its reader to do, and compares.

Every heading `## ` begins a tutorial in a new empty folder. Its fenced blocks are taken in their order:

    sh            commands, with PIOLA's folder on the PATH; the first that fails ends the block
    python        statements; those of one tutorial share a session
    yaml, csv     a file; the paragraph above ends with: Write `NAME`:
    prints        what the block before printed

Of `prints`, a line `...` stands for any lines and a `...` at the end of a line for the rest of it; blanks are not
compared. Words and whole numbers are equal, other numbers to within one unit of the last digit on the page.

Negative controls: small pages with a fault each are found to have it, and each number of each `prints` of the page,
when it is changed, is noticed.
"""
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/tutorial.md"
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TOKEN = re.compile(rf"{NUMBER.pattern}|[A-Za-z_]+|\S")
WRITE = re.compile(r"\bWrite `([\w.]+)`:$")
KINDS = ("sh", "python", "yaml", "csv", "prints")
DEADLINE = 120  # s, for one block of commands; the slowest takes a few seconds
TUTORIALS = 3


class Fault(Exception):
    pass


class Block:
    def __init__(self, kind, line, above):
        self.kind, self.line, self.above, self.text, self.output = kind, line, above, "", ""


def tutorials(text):
    """[(title, [Block])] of a page."""
    found, block, above, before = [], None, "", ""  # above: the last paragraph in one line; before: the last line
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            if block:
                block = None
            else:
                block = Block(line[3:], number, above)
                if block.kind not in KINDS or not found:
                    raise Fault(f"line {number}: a block of kind '{block.kind}', which is not run")
                found[-1][1].append(block)
        elif block:
            block.text += line + "\n"
        elif line.startswith("## "):
            found.append((line[3:], []))
        elif line:
            above = f"{above} {line}" if before else line
        before = line
    return found


def tokens_agree(shown, printed):
    if not NUMBER.fullmatch(shown) or not NUMBER.fullmatch(printed) or re.fullmatch(r"[-+]?\d+", shown):
        return shown == printed
    mantissa, _, exponent = shown.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(shown) - float(printed)) <= 1.000001 * unit  # the factor is for rounding in this line


def lines_agree(shown, printed):
    open_end = shown.endswith("...")
    a, b = TOKEN.findall(shown.removesuffix("...")), TOKEN.findall(printed)
    if len(b) < len(a) or (len(b) > len(a) and not open_end):
        return False
    return all(map(tokens_agree, a, b))


def agree(shown, printed):
    """Whether the lines `printed` are what the lines `shown` say."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(agree(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    return bool(printed) and lines_agree(shown[0], printed[0]) and agree(shown[1:], printed[1:])


def compare(shown, output):
    if not agree(shown.strip("\n").split("\n"), output.strip("\n").split("\n")):
        raise Fault(f"the page says\n{shown}but this was printed:\n{output}")


def run_shell(block, folder, environment):
    done = subprocess.run(["sh", "-e", "-c", block.text], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE)
    if done.returncode:
        raise Fault(f"exit code {done.returncode} of\n{block.text}{done.stdout}")
    return done.stdout


def run_python(block, session):
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(block.text, f"line {block.line} of the page", "exec"), session)
    except Exception:
        raise Fault(f"{said.getvalue()}{traceback.format_exc()}") from None
    return said.getvalue()


def write_file(block, folder):
    name = WRITE.search(block.above)
    if not name:
        raise Fault(f"no file is named above this block: '{block.above}'")
    (folder / name.group(1)).write_text(block.text)


def follow(blocks, folder, environment):
    """Does what the blocks say. Each that `prints` follows keeps what it printed."""
    session, last = {}, None
    os.chdir(folder)
    for block in blocks:
        try:
            if block.kind == "prints":
                if not last:
                    raise Fault("nothing was run before")
                compare(block.text, last.output)
                block.output, last = last.output, None
            elif block.kind in ("yaml", "csv"):
                write_file(block, folder)
            else:
                last = block
                block.output = run_python(block, session) if block.kind == "python" else run_shell(
                    block, folder, environment)
        except Fault as fault:
            raise Fault(f"line {block.line} ({block.kind}): {fault}") from None


def follow_page(text, environment):
    parts = tutorials(text)
    for title, blocks in parts:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                follow(blocks, pathlib.Path(folder), environment)
            finally:
                os.chdir("/")
        print(f"{title}: {len(blocks)} blocks, {time.monotonic() - began:.1f} s")
    return parts


def unnoticed(block):
    """The numbers of a block `prints` that could be others: 2 more in the last digit, and it still agrees."""
    for match in NUMBER.finditer(block.text):
        last = [m for m in re.finditer(r"\d", match.group().partition("e")[0])][-1].start() + match.start()
        digit = str((int(block.text[last]) + 2) % 10)
        changed = block.text[:last] + digit + block.text[last + 1:]
        try:
            compare(changed, block.output)
            yield f"line {block.line}: {match.group()} with last digit {digit}"
        except Fault:
            pass


def fence(kind, text):
    return f"```{kind}\n{text}\n```\n"


PLANTED = [
    (fence("sh", "echo a; false; echo b"), "exit code 1"),
    (fence("sh", "no_such_command"), "exit code 127"),
    (fence("python", "1 / 0"), "ZeroDivisionError"),
    (fence("python", "x = 1") + "## B\n" + fence("python", "print(x)"), "NameError"),
    (fence("yaml", "a: 1"), "no file is named"),
    (fence("text", "a"), "not run"),
    (fence("prints", "a"), "nothing was run"),
    (fence("sh", "echo 1.25") + fence("prints", "1.27"), "the page says"),
    (fence("sh", "echo 7") + fence("prints", "8"), "the page says"),
    (fence("sh", "echo 7.5e-04") + fence("prints", "7.5e-05"), "the page says"),
    (fence("sh", "echo 7 m") + fence("prints", "7 s"), "the page says"),
    (fence("sh", "echo 7 m more") + fence("prints", "7 m"), "the page says"),
    (fence("sh", "echo a; echo b") + fence("prints", "a"), "the page says"),
    (fence("sh", "echo a") + fence("prints", "a\nb"), "the page says"),
    ("Write `a.csv`:\n\n" + fence("csv", "a") + fence("sh", "cat a.csv") + fence("prints", "b"), "the page says"),
]
SOUND = ("Write `a.yaml`:\n\n" + fence("yaml", "a: 1.250") + fence("sh", "echo 1; cat a.yaml; echo 2 3 4; echo 9") +
         fence("prints", "...\na:   1.26\n2 3...\n9"))


def control(environment):
    with contextlib.redirect_stdout(io.StringIO()):
        follow_page("## A\n" + SOUND, environment)
    for page, words in PLANTED:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                follow_page("## A\n" + page, environment)
            said = "no fault"
        except Fault as fault:
            said = str(fault)
        if words not in said:
            raise Fault(f"negative control: '{words}' was not found in {page!r}, but: {said}")
    print(f"negative control: {len(PLANTED)} planted faults were found")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 2
    folder = pathlib.Path(sys.argv[1]).resolve().parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    environment.setdefault("OMP_WAIT_POLICY", "passive")  # other tests run beside
    page = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) == 3 else PAGE
    try:
        control(environment)
        parts = follow_page(page.read_text(), environment)
        prints = [b for _, blocks in parts for b in blocks if b.kind == "prints"]
        if len(parts) != TUTORIALS or any(not any(b.kind == "prints" for b in blocks) for _, blocks in parts):
            raise Fault(f"there are {len(parts)} tutorials, not {TUTORIALS}, or one prints nothing")
        missed = [what for block in prints for what in unnoticed(block)]
        if missed:
            raise Fault("negative control: nobody would notice:\n" + "\n".join(missed))
    except Fault as fault:
        print(f"{page.name}: {fault}")
        return 1
    print(f"{page.name}: {len(prints)} printed blocks agree; each of their "
          f"{sum(len(NUMBER.findall(b.text)) for b in prints)} numbers, changed, is noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
