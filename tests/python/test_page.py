"""The blocks of docs/python.md run, and the reference is what the docstrings say."""
import ast
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(text):
    """(line, source) of the blocks of Python on a page."""
    return [(text.count("\n", 0, m.start()) + 2, m.group(1)) for m in re.finditer(r"```python\n(.*?)```", text, re.S)]


def test_the_blocks_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, found = {}, blocks((ROOT / "docs/python.md").read_text())
    for line, source in found:
        tree = ast.increment_lineno(ast.parse(source), line - 1)
        exec(compile(tree, "docs/python.md", "exec"), names)
    assert len(found) > 9 and (tmp_path / "out/result.json").exists()


def check(root):
    return subprocess.run([sys.executable, root / "tools/python/make_python_reference.py", "--check"],
                          capture_output=True, text=True)


def test_the_reference_is_what_the_docstrings_say(tmp_path):
    shown = check(ROOT)
    assert shown.returncode == 0, shown.stdout
    shutil.copytree(ROOT / "tools/python", tmp_path / "tools/python")
    (tmp_path / "docs/reference").mkdir(parents=True)
    shutil.copy(ROOT / "docs/reference/python.md", tmp_path / "docs/reference")
    assert check(tmp_path).returncode == 0
    module = tmp_path / "tools/python/piola/problem.py"
    text = module.read_text()
    module.write_text(text.replace("Runs n further steps.", "Runs n steps."))
    assert check(tmp_path).returncode == 1
    module.write_text(text.replace('        """The number of constraints."""\n', ""))
    planted = check(tmp_path)
    assert planted.returncode == 1 and "constraint_count has no docstring" in planted.stdout
