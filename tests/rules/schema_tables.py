"""schema_tables.py -- Markdown of the JSON Schema docs/reference/result.schema.json: a table of its keys, then a
heading, a sentence and a table for each of its definitions."""
import json
import textwrap

import house

SCHEMA = "docs/reference/result.schema.json"
MOST_CHOICES = 10  # of a string that a row lists


def load():
    return json.loads(house.read(SCHEMA))


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
    if "type" not in entry:
        return f"`{entry['const']}`"
    types = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
    text = " or ".join(types)
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
        if "properties" in entry:
            yield from rows(schema, entry, f"{prefix}{key}.")


def markdown(table):
    """The text; `table(head, rows)` makes one of its tables."""
    schema = load()
    head = ("key", "type", "unit", "there", "meaning")
    text = table(head, rows(schema, schema))
    for name, entry in schema["$defs"].items():
        text += f"\n## {name}\n\n{textwrap.fill(entry['description'], 120)}\n\n" + table(head, rows(schema, entry))
    return text
