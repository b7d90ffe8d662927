"""schema_tables.py -- Markdown of the JSON Schemas in docs/reference: a table of the keys of the top level, where it
has some, then a heading, a sentence and a table for each definition."""
import json
import textwrap

import house

NAMES = ("result", "reports")
HEAD = ("key", "type", "unit", "there", "meaning")
MOST_CHOICES = 10  # of a string that a row lists


def resolve(schema, entry):
    """`entry`, with what a key of the top level says where it refers to that."""
    place = entry.get("$ref", "")
    if not place.startswith("#/properties/"):
        return entry
    return {**schema["properties"][place.rsplit("/", 1)[1]], **{k: v for k, v in entry.items() if k != "$ref"}}


def type_text(entry):
    """What a value is, in words; a definition is linked."""
    if "$ref" in entry:
        name = entry["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name})"
    if "oneOf" in entry:
        return " or ".join(type_text(choice) for choice in entry["oneOf"])
    if "const" in entry:
        return f"`{entry['const']}`"
    text = " or ".join(entry["type"] if isinstance(entry["type"], list) else [entry["type"]])
    if isinstance(entry.get("additionalProperties"), dict):
        return f"{text} of {type_text(entry['additionalProperties'])} by name"
    return f"{text} of {type_text(entry['items'])}" if "items" in entry else text


def rows(schema, owner, prefix=""):
    """(key, type, unit, when it is there, meaning) of each key of an object, those of objects inside it too."""
    for key, entry in owner["properties"].items():
        entry = resolve(schema, entry)
        meaning = entry["description"]
        choices = [c for c in entry.get("enum", ()) if isinstance(c, str)]
        if "string" in entry.get("type", "") and 0 < len(choices) <= MOST_CHOICES and f"`{choices[0]}`" not in meaning:
            meaning += f" One of {', '.join(f'`{c}`' for c in choices)}."
        yield (f"`{prefix}{key}`", type_text(entry), entry.get("unit", ""), entry.get("when", "always"), meaning)
        for inner, dot in ((entry, "."), (entry.get("items", {}), "[].")):
            if "properties" in inner:
                yield from rows(schema, inner, f"{prefix}{key}{dot}")


def markdown(name, table):
    """The text of docs/reference/NAME.schema.json; `table(head, rows)` makes one of its tables."""
    schema = json.loads(house.read(f"docs/reference/{name}.schema.json"))
    text = table(HEAD, rows(schema, schema)) if "properties" in schema else ""
    for title, entry in schema["$defs"].items():
        text += f"\n## {title}\n\n{textwrap.fill(entry['description'], 120)}\n\n" + table(HEAD, rows(schema, entry))
    return text
