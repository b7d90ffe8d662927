#!/usr/bin/env python3
"""make_python_reference.py [--check] -- writes docs/reference/python.md from the docstrings of tools/python/piola. With
--check nothing is written, and the exit code is 1 if the page is not what they say, or if a public name has none.

What is public: the names that piola/__init__.py imports, and those that a module lists in __all__. The sources are read
and not imported, so that neither the library nor NumPy is needed.
"""
import ast
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/reference/python.md"
FIRST = ("problem", "scene", "_views", "commands", "errors")  # the order of sections; others follow
HEAD = """# The Python package

Every public class and function of the package `piola`, made of its docstrings by
`tools/python/make_python_reference.py`. [python.md](../python.md) says how it is used. `Array` is a NumPy array of
float64, `Values` what NumPy makes one of.
"""
BLOCKS = ("Args:", "Attributes:", "Returns:", "Raises:")


def modules(folder):
    """{name: syntax tree} of the modules, in the order of the page."""
    trees = {p.stem: ast.parse(p.read_text()) for p in sorted(folder.glob("*.py"))}
    return {name: trees[name] for name in sorted(trees, key=lambda n: (n not in FIRST, FIRST.index(n) if n in FIRST
                                                                       else 0, n))}


def exported(trees):
    """{module: [names]} of what is public."""
    found = {name: [] for name in trees}
    for node in ast.walk(trees["__init__"]):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module in found:
            found[node.module] += [a.asname or a.name for a in node.names]
    for name, tree in trees.items():
        for node in tree.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if name != "__init__" and isinstance(target, ast.Name) and target.id == "__all__":
                found[name] += [n for n in ast.literal_eval(node.value) if n not in found[name]]
    return found


def signature(function, method):
    """name(arguments) -> result."""
    arguments = ast.unparse(function.args)
    if method:
        arguments = re.sub(r"^self(, |$)", "", arguments)
    result = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return f"{function.name}({arguments}){result}"


def items(lines):
    """Items of a block of a docstring: "name: text", further lines deeper."""
    found = []
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        if line.startswith(" ") and found:
            found[-1] += " " + line.strip()
        elif line.strip():
            found.append(line.strip())
    return found


def wrapped(text, head="", below=""):
    return textwrap.fill(text, 118, initial_indent=head, subsequent_indent=below, break_long_words=False,
                         break_on_hyphens=False)


def page_text(doc):
    """A docstring as Markdown: paragraphs, and a list for each block of arguments."""
    lines, made, at = doc.split("\n"), [], 0
    while at < len(lines):
        end = at
        if lines[at].strip() in BLOCKS:
            end = at + 1
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" ")):
                end += 1
            title, found = lines[at].strip()[:-1], items(lines[at + 1:end])
            if title in ("Returns", "Raises"):
                made.append(wrapped(f"{title}: " + " ".join(found)))
            else:
                named = [re.match(r"(\w+(?:, \w+)*): (.*)", item, re.S) for item in found]
                made.append("\n".join(wrapped(", ".join(f"`{n}`" for n in m.group(1).split(", ")) + ": " + m.group(2),
                                              "- ", "  ") for m in named if m))
        elif lines[at].startswith("    "):
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            made.append("```python\n" + textwrap.dedent("\n".join(lines[at:end])).strip() + "\n```")
        else:
            while end < len(lines) and lines[end].strip() and lines[end].strip() not in BLOCKS:
                end += 1
            made.append(wrapped(" ".join(line.strip() for line in lines[at:end])))
        at = max(end, at + 1)
    return "\n\n".join(part for part in made if part)


def code(text):
    """A signature in a block of code, over several lines where it is long."""
    return "```python\n" + textwrap.fill(text, 116, subsequent_indent="    ", break_long_words=False) + "\n```"


def members(node):
    """Public methods and properties of a class."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            if not any(ast.unparse(d).endswith(("setter", "overload")) for d in item.decorator_list):
                yield item, any(ast.unparse(d) == "property" for d in item.decorator_list)


def described(node, where, faults):
    """The text of a class or function."""
    doc = ast.get_docstring(node)
    if not doc:
        faults.append(f"{where}.{node.name} has no docstring")
    parts = []
    if isinstance(node, ast.FunctionDef):
        return [f"### {node.name}", code(signature(node, False)), page_text(doc or "")]
    bases = ", ".join(ast.unparse(b) for b in node.bases)
    parts += [f"### {node.name}", *([f"`class {node.name}({bases})`"] if bases else []), page_text(doc or "")]
    start = next((i for i in node.body if isinstance(i, ast.FunctionDef) and i.name == "__init__"), None)
    if start is not None and "Args:" in (doc or ""):
        parts.insert(1, code(node.name + signature(start, True)[len("__init__"):].replace(" -> None", "")))
    for item, is_property in members(node):
        own = ast.get_docstring(item)
        if not own:
            faults.append(f"{where}.{node.name}.{item.name} has no docstring")
        head = f"{item.name}: {ast.unparse(item.returns)}" if is_property and item.returns else signature(item, True)
        parts += [f"#### {node.name}.{item.name}", code(head), page_text(own or "")]
    return parts


def text_of(folder):
    """The page, and what has no docstring."""
    trees, faults, parts = modules(folder), [], [HEAD.strip()]
    public = exported(trees)
    for name, tree in trees.items():
        nodes = {n.name: n for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        wanted = [n for n in public[name] if n in nodes]
        if not wanted:
            continue
        where = "piola" if name.startswith("_") or set(wanted) <= set(public_of_package(trees)) else f"piola.{name}"
        title, _, rest = (ast.get_docstring(tree) or "").partition("\n")
        parts += [f"## {where}: {title[0].lower() + title[1:].rstrip('.')}"]
        if where != "piola" and rest.strip():
            parts.append(page_text(rest.strip("\n")))
        for one in wanted:
            parts += described(nodes[one], where, faults)
    return "\n\n".join(part for part in parts if part) + "\n", faults


def public_of_package(trees):
    return [a.asname or a.name for node in ast.walk(trees["__init__"]) if isinstance(node, ast.ImportFrom)
            for a in node.names]


def main():
    text, faults = text_of(HERE / "piola")
    print("\n".join(faults) or "every public name has a docstring")
    if sys.argv[1:] == ["--check"]:
        same = PAGE.exists() and PAGE.read_text() == text
        print(f"{PAGE.name} {'is' if same else 'is NOT'} what the docstrings say"
              + ("" if same else "; tools/python/make_python_reference.py writes it"))
        return 0 if same and not faults else 1
    PAGE.write_text(text)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
