"""small_scenes.py -- where the scenes of tests lie, and how a command is given them.

The small scenes of tests/data/small_scenes include those of scenes/, which is outside their folder: whoever runs one
allows that.
"""
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
FULL, SMALL = SOURCE / "scenes", SOURCE / "tests" / "data" / "small_scenes"


def find(name):
    """The path of a small or, where there is none of this name, of a full scene; `name` has its suffix."""
    return SMALL / name if (SMALL / name).exists() else FULL / name


def words(scene):
    """The words of a command that name the scene at a path and, of a small one, allow what it includes."""
    path = pathlib.Path(scene)
    return [str(path), *(["--allow", str(FULL)] if path.parent == SMALL else [])]
