#!/usr/bin/env python3
"""test_states.py PIOLA -- piola.open(): what the command at PIOLA writes, as NumPy, xarray, PyVista.

Particles and meshes in 2D and 3D, with gradients, adjoint frames and fields of integration points, and the history of
an optimisation. Each is read by both readers and compared, exactly, with h5py and with `piola export`. Controls spoil a
value, and the comparison has to see it. It needs pytest, h5py, xarray and pyvista; without one it is `not checked`.
"""
import importlib.util
import json
import os
import pathlib
import pickle
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tools" / "python"), str(SOURCE / "tests" / "rules")]
sys.dont_write_bytecode = True

if __name__ == "__main__":
    import house

    MISSING = [p for p in ("pytest", "h5py", "xarray", "pyvista") if importlib.util.find_spec(p) is None]
    if MISSING:
        house.not_checked(f"{sys.executable} lacks: {', '.join(MISSING)}; tools/check.sh installs it")
    os.environ["PIOLA_COMMAND"] = os.path.abspath(sys.argv[1])

import h5py
import numpy as np
import pytest

import piola
from piola import states as piola_states
from piola import states_read

READERS = ("h5py", "command")
PARTICLES = """version: 1
name: particles
method: {type: mpm, dimension: %(d)d, precision: %(precision)s, grid: {spacing: 0.1, min: %(low)s, max: %(high)s}}
time: {dt: 1 ms, duration: 20 ms}
materials: [{name: rubber, model: neo_hookean, E: 100 kPa, nu: 0.3, density: 1000}]
geometry: [{name: ball, type: ball, center: %(center)s, radius: 0.15}]
bodies: [{name: ball, geometry: ball, material: rubber, velocity: %(velocity)s, angular_velocity: %(spin)s}]
observe: [{name: centre, type: mean_position, body: ball}]
design: [{name: stiffness, target: materials.rubber.E, per: particle}]
objective: [{type: target, of: centre, value: %(high)s}]
output: {states: {every: 5 ms, fields: [velocity, J, F, C, mass, body]}, adjoint: {every: 10 ms}}
"""
MESH = """version: 1
name: mesh
method: {type: fem, dimension: %(d)d, precision: f64}
time: {load_steps: 3}
materials: [{name: rubber, model: neo_hookean, E: 1 MPa, nu: 0.3}]
geometry:
  - {name: one, type: box, element: %(one)s, elements: %(count)s, min: %(low)s, max: %(high)s}
  - {name: two, type: box, element: %(two)s, elements: %(count)s, min: %(low)s, max: %(high)s}
bodies: [{name: one, geometry: one, material: rubber}, {name: two, geometry: two, material: rubber, position: %(high)s}]
boundary:
  - {name: grip, body: one, on: {group: left}, type: fixed}
  - {name: hold, body: two, on: {group: left}, type: fixed}
loads:
  - {name: pull, body: one, on: {group: right}, type: traction, value: %(force)s}
  - {name: push, body: two, on: {group: right}, type: traction, value: %(force)s}
observe: [{name: tip, type: displacement, body: one, on: {group: right}}]
design: [{name: stiffness, target: materials.rubber.E, per: element, bounds: [0.5 MPa, 2 MPa]}]
objective: [{type: target, of: tip.x, value: 10 mm}]
optimizer: {type: lbfgs, max_iterations: 2}
output: {states: {fields: [cauchy_stress, von_mises, J], per: [element, node, point]}}
"""
FLAT = {"d": 2, "precision": "f64", "low": "[0, 0]", "high": "[1, 1]", "center": "[0.5, 0.5]", "velocity": "[1, 0.5]",
        "spin": "2", "one": "quad9", "two": "tri6", "count": "[3, 2]", "force": "[20 kPa, 10 kPa]"}
SPACE = {"d": 3, "precision": "f32", "low": "[0, 0, 0]", "high": "[1, 1, 1]", "center": "[0.5, 0.5, 0.5]",
         "velocity": "[1, 0.5, 0]", "spin": "[0, 0, 2]", "one": "hex20", "two": "tet4", "count": "[2, 1, 1]",
         "force": "[20 kPa, 10 kPa, 0]"}
SCENES = {"particles_2d": ("grad", PARTICLES % FLAT), "particles_3d": ("grad", PARTICLES % SPACE),
          "mesh_2d": ("optimize", MESH % FLAT), "mesh_3d": ("grad", MESH % SPACE)}
FILES = {**{name: f"{name}/states.vtkhdf" for name in SCENES}, "history": "mesh_2d/history.vtkhdf"}


def command(*words):
    """Run the command of the test; returns what it printed."""
    done = subprocess.run([states_read.command(), *map(str, words)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "OMP_WAIT_POLICY": "passive"}, check=False)
    assert done.returncode in (0, 1), done.stderr  # 1: an optimisation ended before it converged
    return done.stdout


@pytest.fixture(scope="session", name="folder")
def made(tmp_path_factory):
    """The folder with the results of all scenes."""
    folder = tmp_path_factory.mktemp("runs")
    for name, (what, text) in SCENES.items():
        (folder / f"{name}.yaml").write_text(text)
        command(what, folder / f"{name}.yaml", "--device", "cpu", "-q", "-o", folder / name)
    return folder


@pytest.fixture(name="states", params=[(name, reader) for name in FILES for reader in READERS],
                ids=lambda param: "-".join(param))
def opened(request, folder):
    """The states of each file by each reader."""
    name, reader = request.param
    with piola_states.open(folder / FILES[name], reader=reader) as states:
        yield states


class Raw:
    """A file as h5py has it, by the offsets and numbers of rows that docs/ and VTK's format state."""

    def __init__(self, path):
        self.file = h5py.File(path)
        self.grid, self.d = self.file["VTKHDF"], int(self.file["piola"].attrs["dimension"])
        self.fields = {name: (group, data) for group in ("PointData", "CellData", "FieldData")
                       for name, data in self.grid[group].items()}

    def values(self, name, frame):
        """Stored values of a field in a frame, without padding, entry after entry."""
        group, data = self.fields[name]
        own = self.file["piola"].attrs
        rows = {"PointData": own["n_points"], "CellData": own.get("n_cells"), "FieldData":
                own.get("n_integration_points")}[group]
        at = self.grid[f"Steps/{group}Offsets/{name}"][frame]
        values, count = data[at:at + rows], int(data.attrs["components"])
        if self.d == 2 and count == 4:
            return values[:, [0, 1, 3, 4]]
        return values[:, :count] if values.ndim == 2 else values[:, None]


def test_every_value_is_that_of_h5py(states):
    raw = Raw(states.path)
    assert list(states.times) == list(raw.grid["Steps/Values"]) and len(states) == raw.grid["Steps"].attrs["NSteps"]
    assert sorted(states.fields) == sorted(raw.fields)
    count = 0
    for name, info in states.fields.items():
        data = raw.fields[name][1]
        assert (info.unit, info.components) == (data.attrs["units"].decode(), data.attrs["components"])
        assert states.unit(name) == info.unit
        for k in range(len(states)):
            found, wanted = states[k][name], raw.values(name, k)
            assert found.dtype == wanted.dtype == states.field(name).dtype
            np.testing.assert_array_equal(found.reshape(len(found), -1), wanted)
            count += found.size
    print(f"{count} values of {len(states.fields)} fields in {len(states)} frames are equal")
    assert count > 100
    spoiled = states[0][name].copy()
    spoiled.flat[-1] = np.nextafter(spoiled.flat[-1], np.inf) if spoiled.dtype.kind == "f" else spoiled.flat[-1] + 1
    if not np.isnan(spoiled.flat[-1]):
        assert not np.array_equal(spoiled.reshape(len(spoiled), -1), raw.values(name, 0), equal_nan=True)


def test_every_array_is_that_of_the_command(states, tmp_path):
    for frame in {0, len(states) - 1}:
        out = tmp_path / str(frame)
        command("export", states.path, "--to", "npy", "--frame", frame, "-o", out)
        listed = {a["file"]: a for a in json.loads((out / "fields.json").read_text())["arrays"]}
        assert {f"{name}.npy" for name in states.fields} == {file for file in listed if not file.startswith("grid-")}
        for name, info in states.fields.items():
            wanted = np.load(out / f"{name}.npy")
            np.testing.assert_array_equal(states[frame][name], wanted, strict=True)
            said = listed[f"{name}.npy"]
            assert (info.unit, info.where, info.meaning) == (said["unit"], said["location"] + "s", said["meaning"])
        np.testing.assert_array_equal(states[frame].points, np.load(out / "grid-points.npy"), strict=True)
        if states.is_mesh:
            assert len(states.cells.types) == len(states.cells.offsets) - 1 > 0
            for part, values in states.cells._asdict().items():
                np.testing.assert_array_equal(values, np.load(out / f"grid-{part}.npy"))


def test_what_was_expected_is_there(folder):
    found = {}
    for name, file in FILES.items():
        states = piola_states.open(folder / file)
        found[name] = {f: (i.where, states.field(f).shape) for f, i in states.fields.items()}
        assert states.kind == ("history" if name == "history" else "states") and states.complete
        assert states.reader == "h5py" and states.manifest["program"] == "piola"
        print(states)
    n, shape = found["particles_2d"]["velocity"][1][1], found["particles_2d"]
    assert shape["F"] == ("points", (5, n, 2, 2)) and shape["J"] == ("points", (5, n))
    assert shape["grad_E"] == ("points", (n,)) and shape["velocity"] == ("points", (5, n, 2))
    assert any(f.startswith("adj_") for f in shape)
    n = found["particles_3d"]["velocity"][1][1]
    assert found["particles_3d"]["C"] == ("points", (5, n, 3, 3))
    for name in "mesh_2d", "mesh_3d":
        assert {where for where, _ in found[name].values()} == {"points", "cells", "integration points"}
        assert found[name]["grad_E"][0] == "cells"
    assert found["history"]["materials_rubber_E"][0] == "cells" and len(found["history"]) == 2


def test_both_readers_say_the_same(folder):
    for file in FILES.values():
        by_h5py, by_command = (piola_states.open(folder / file, reader=reader) for reader in READERS)
        assert (by_h5py.reader, by_command.reader) == READERS
        for key, value in by_h5py._reader.contents._asdict().items():
            np.testing.assert_equal(by_command._reader.contents._asdict()[key], value)
        np.testing.assert_array_equal(by_h5py.points, by_command.points, strict=True)


def test_frames_are_a_sequence(states):
    assert [frame.number for frame in states] == list(range(len(states)))
    assert states[-1].number == len(states) - 1 and states[-1].time == states.times[-1]
    part = states[::-2]
    assert list(part.numbers) == list(range(len(states)))[::-2] and list(part.times) == list(states.times[::-2])
    name = next(name for name in states.fields if states.field(name).per_frame)
    np.testing.assert_array_equal(part.field(name)[0], states[-1][name])
    np.testing.assert_array_equal(part[-1][name], states[int(part.numbers[-1])][name])
    for wrong in len(states), -len(states) - 1:
        with pytest.raises(IndexError, match=f"frame {wrong} of {len(states)}, from 0 to"):
            states[wrong]
    with pytest.raises(TypeError, match=r"states.field\('velocity'\)"):
        states["velocity"]
    assert set(states[0]) == set(states.fields) and name in states[0] and len(states[0]) == len(states.fields)


def test_a_field_is_indexed_as_an_array(states):
    for name in states.fields:
        field = states.field(name)
        whole = np.asarray(field)
        assert whole.shape == field.shape and len(field) == len(whole) and whole.dtype == field.dtype
        mask = np.arange(len(whole)) % 2 == 0
        for key in (0, -1, slice(None), slice(-2, None), slice(None, None, 2), [0, -1], mask, (1, slice(2)),
                    (slice(1), 0), (slice(2), -1, ...), (..., 0), (-1, [1, 0]), ([0, 1, 0], [1, 0, 1])):
            if isinstance(key, tuple) and len(key) > whole.ndim + (... in key):
                with pytest.raises(IndexError):
                    field[key]
                continue
            np.testing.assert_array_equal(field[key], whole[key], strict=True)
        np.testing.assert_array_equal(np.stack(list(field)), whole)
        with pytest.raises(IndexError):
            field[len(whole)]


def test_only_the_frames_of_the_index_are_read(folder):
    states = piola_states.open(folder / FILES["particles_2d"])
    seen, read = [], states._reader.field
    states._reader.field = lambda name, frame: seen.append(frame) or read(name, frame)
    field = states.field("velocity")
    assert not seen and field.shape[0] == 5
    field[3], field[1:3], field[[4, 0], :2]
    assert seen == [3, 1, 2, 0, 4]


def test_positions_are_points_and_displacement(folder):
    mesh = piola_states.open(folder / FILES["mesh_3d"])
    moved = mesh[-1].positions - mesh.points
    np.testing.assert_allclose(moved, mesh[-1]["displacement"], atol=1e-12)
    assert abs(moved).max() > 1e-3
    particles = piola_states.open(folder / FILES["particles_2d"])
    speed = (particles[1].positions - particles[0].positions).mean(0) / (particles.times[1] - particles.times[0])
    off = abs(speed - particles[0]["velocity"].mean(0)).max()
    print(f"mean velocity: off by {off:.1e} m/s, threshold 1e-6; negative control {abs(speed).max():.1e}")
    assert off < 1e-6 < abs(speed).max()


def test_cells_by_type(folder):
    mesh = piola_states.open(folder / FILES["mesh_2d"])
    nodes = mesh.cells.by_type()
    assert {kind: v.shape for kind, v in nodes.items()} == {28: (6, 9), 22: (12, 6)}
    middle = mesh.points[nodes[28]]
    np.testing.assert_allclose(middle[:, :4].mean(1), middle[:, 8], atol=1e-12)  # four corners and the ninth node
    assert piola_states.open(folder / FILES["particles_2d"]).cells is None


def test_designs_and_objective_of_a_history(folder):
    with piola_states.open(folder / "mesh_2d" / "history.vtkhdf") as history:
        assert history.time_name == "iteration" and list(history.times) == list(range(len(history)))
        design, = history.designs.values()
        np.testing.assert_array_equal(design.value, history.field("materials_rubber_E")[:])
        np.testing.assert_array_equal(design.gradient, history.field("grad_materials_rubber_E")[:])
        assert design.unit == "Pa" and len(history.objective["value"]) == len(history)
        assert history.objective["value"][-1] < history.objective["value"][0]
    best = json.loads((folder / "mesh_2d" / "result.json").read_text())
    assert float(piola_states.open(folder / "mesh_2d").objective["value"]) == best["objective"]
    with pytest.raises(ImportError, match="pip install h5py"):
        _ = piola_states.open(folder / "mesh_2d", reader="command").designs


def test_the_block_of_the_page_runs(folder, capsys):
    page = (SOURCE / "docs" / "python_states.md").read_text()
    block = page.split("```python\n")[1].split("```")[0].removeprefix("import piola\n")
    assert "out/block" in block
    exec(block.replace("out/block", str(folder / "particles_2d")), {"piola": piola_states})  # pylint: disable=exec-used
    printed = capsys.readouterr().out.splitlines()
    assert printed[1:4] == ["5 0.02 s", "m/s points", "0.02 (32, 2) (32, 2)"], printed
    assert printed[-1].startswith("0 0.0 1.")


def test_the_file_of_a_folder(folder, tmp_path):
    assert piola_states.open(folder / "mesh_2d").path.name == "states.vtkhdf"
    assert piola_states.open(str(folder / "mesh_2d")).kind == "states"
    data = (folder / FILES["history"]).read_bytes()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "history.vtkhdf").write_bytes(data)
    assert piola_states.open(tmp_path / "a").kind == "history"
    with pytest.raises(FileNotFoundError, match="no states.vtkhdf or history.vtkhdf; below it there are a/history.v"):
        piola_states.open(tmp_path)
    (tmp_path / "states.12-0.partial.vtkhdf").write_bytes(data)
    assert piola_states.open(tmp_path).path.name == "states.12-0.partial.vtkhdf"


@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read_is_said(folder, tmp_path, reader):
    with pytest.raises(FileNotFoundError, match="nothing.vtkhdf: there is no such file"):
        piola_states.open(tmp_path / "nothing.vtkhdf", reader=reader)
    (tmp_path / "text.vtkhdf").write_text("no file of HDF5\n")
    with pytest.raises(piola.BadSceneError, match="text.vtkhdf"):
        piola_states.open(tmp_path / "text.vtkhdf", reader=reader)
    with h5py.File(tmp_path / "other.vtkhdf", "w") as file:
        file["numbers"] = [1, 2]
    with pytest.raises(piola.BadSceneError, match="other.vtkhdf"):
        piola_states.open(tmp_path / "other.vtkhdf", reader=reader)
    for file in "mesh_2d.yaml", "mesh_2d/result.json":
        with pytest.raises(piola.BadSceneError, match=pathlib.Path(file).name):
            piola_states.open(folder / file, reader=reader)
    states = piola_states.open(folder / "particles_2d", reader=reader)
    for attempt in (lambda: states.field("speed"), lambda: states[0]["speed"], lambda: states.unit("speed")):
        with pytest.raises(piola.NameUnknownError, match="has no field 'speed'; it has: .*velocity") as raised:
            attempt()
        assert isinstance(raised.value, KeyError) and isinstance(raised.value, piola.Error)
    with pytest.raises(piola.UsageError, match="reader is 'h5py', 'command' or None, not 'hdf'"):
        piola_states.open(folder / "particles_2d", reader="hdf")


def test_the_command_compares_checksums(folder, tmp_path):
    data = bytearray((folder / FILES["particles_2d"]).read_bytes())
    at = data.index(np.asarray(piola_states.open(folder / "particles_2d")[2]["velocity"][3]).tobytes())
    data[at] ^= 1
    (tmp_path / "states.vtkhdf").write_bytes(data)
    with pytest.raises(piola.BadSceneError, match="states.vtkhdf"):
        piola_states.open(tmp_path, reader="command")


def test_a_missing_package_or_command_is_named(folder, monkeypatch):
    find, states = importlib.util.find_spec, piola_states.open(folder / "particles_2d")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "h5py" else find(name, *rest))
    assert piola_states.open(folder / "particles_2d").reader == "command"
    with pytest.raises(ImportError, match="pip install h5py"):
        piola_states.open(folder / "particles_2d", reader="h5py")
    for package, attempt in ("xarray", states.to_xarray), ("pyvista", states.to_pyvista), ("pyvista", states.plot):
        with monkeypatch.context() as hidden:
            hidden.setitem(sys.modules, package, None)
            with pytest.raises(ImportError, match=f"{package} is not installed: pip install {package}"):
                attempt()
    monkeypatch.delenv("PIOLA_COMMAND")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(states_read, "__file__", str(folder / "states_read.py"))
    with pytest.raises(piola.UnavailableError, match="PIOLA_COMMAND, or, to read files, pip install h5py"):
        piola_states.open(folder / "particles_2d")


def test_the_command_keeps_some_frames(folder, monkeypatch):
    states = piola_states.open(folder / "particles_2d", reader="command")
    whole = np.asarray(states.field("velocity"))
    held = pathlib.Path(states._reader._folder.name)
    assert sorted(path.name for path in held.iterdir()) == list("01234")
    monkeypatch.setattr(states_read.CommandReader, "KEPT", 5 * states._reader._sizes[0] // 2)
    few = piola_states.open(folder / "particles_2d", reader="command")
    np.testing.assert_array_equal(few.field("velocity")[:], whole)
    held = pathlib.Path(few._reader._folder.name)
    assert sorted(path.name for path in held.iterdir()) == list("34")


def test_states_are_pickled_and_closed(folder):
    states = piola_states.open(folder / "particles_2d", reader="h5py")[1::2]
    again = pickle.loads(pickle.dumps(states))
    np.testing.assert_array_equal(again.field("velocity")[:], states.field("velocity")[:])
    assert list(again.numbers) == [1, 3]
    frame, field = again[0], again.field("velocity")
    again.close()
    for read in (lambda: frame["velocity"], lambda: frame.points, lambda: field[0]):
        with pytest.raises(piola.ClosedError, match="is closed"):
            read()
    with pytest.raises(TypeError):
        states[1.5]
    with piola_states.open(folder / "particles_2d", reader="command") as by_command:
        kept = by_command[0]["velocity"]
        held = pathlib.Path(by_command._reader._folder.name)
        assert held.is_dir()
    assert not held.exists() and kept.shape[1] == 2


def test_xarray_has_dimensions_times_and_units(states):
    data = states.to_xarray()
    assert set(data.data_vars) == set(states.fields) | {"positions"}
    over = states.time_name
    np.testing.assert_array_equal(data[over], states.times)
    for name, info in states.fields.items():
        np.testing.assert_array_equal(data[name].values, np.asarray(states.field(name)))
        assert data[name].attrs["units"] == info.unit and (over in data[name].dims) == states.field(name).per_frame
    np.testing.assert_array_equal(data["positions"].isel({over: -1}), states[-1].positions)
    assert list(data["axis"].values) == list("xyz"[:states.dimension])
    if not states.is_mesh:
        np.testing.assert_array_equal(data["velocity"].sel(axis="y", time=states.times[2]), states[2]["velocity"][:, 1])
        assert data["F"].dims == ("time", "point", "row", "column") and data["grad_E"].attrs["of"]
    one = states[-1:].to_xarray([next(iter(states.fields))])
    assert len(one.data_vars) == 2 and one.sizes[over] == 1
    with pytest.raises(piola.NameUnknownError):
        states.to_xarray(["speed"])


def test_pyvista_has_points_cells_and_fields(states):
    grid, frame = states.to_pyvista(-1), states[-1]
    np.testing.assert_array_equal(grid.points[:, :states.dimension], frame.positions)
    assert not grid.points[:, states.dimension:].any() and grid.field_data["TimeValue"][0] == frame.time
    for name, info in states.fields.items():
        data = {"points": grid.point_data, "cells": grid.cell_data}.get(info.where, grid.field_data)[name]
        assert np.nansum(np.asarray(data, "f8")) == pytest.approx(np.nansum(frame[name].astype("f8")), rel=1e-12)
    if states.is_mesh:
        np.testing.assert_array_equal(grid.celltypes, states.cells.types)
        np.testing.assert_array_equal(grid.cell_connectivity, states.cells.connectivity)
        size = np.asarray(grid.compute_cell_sizes()["Area" if states.dimension == 2 else "Volume"])
        rest = states.to_pyvista(0, deformation=0)
        np.testing.assert_array_equal(rest.points[:, :states.dimension], states.points)
        print(f"area or volume of the cells {size.sum():.4f}; of the scene's boxes 2, at rest")
        assert size.min() > 0 and size.sum() == pytest.approx(2, rel=0.2)
    else:
        assert set(grid.celltypes) == {1} and grid.n_cells == grid.n_points


def test_pictures_of_pyvista(folder, tmp_path):
    import pyvista
    for name, field, options in (("particles_2d", "velocity.x", {}), ("mesh_3d", "von_mises", {"cmap": "viridis"}),
                                 ("mesh_2d", None, {"deformation": 0.0}), ("particles_3d", "F.xy", {"clim": (0, 1)})):
        states, out = piola_states.open(folder / name), tmp_path / f"{name}.png"
        plotter = states.plot(field, picture=out, size=(320, 240), **options)
        assert isinstance(plotter, pyvista.Plotter)
        plotter.close()
        pixels = np.asarray(pyvista.read(out)["PNGImage"])
        colours = len(np.unique(pixels, axis=0))
        print(f"{name}: {len(pixels)} pixels, {colours} colours")
        assert len(pixels) == 320 * 240 and colours > 30
    with pytest.raises(piola.NameUnknownError):
        states.plot("speed", picture=tmp_path / "no.png")
    for wrong in "velocity.q", "velocity.xy", "J.x", "F.x":
        with pytest.raises(piola.UsageError, match=f"{wrong}: . is|{wrong}: velocity is"):
            states.plot(wrong, picture=tmp_path / "no.png")
    assert not (tmp_path / "no.png").exists()


def test_a_picture_of_the_command(folder, tmp_path):
    states = piola_states.open(folder / "mesh_2d")
    made = states.picture("von_mises", size="320x180", deformation=0, hide_below="von_mises=1")
    command("render", states.path, "-o", tmp_path / "wanted.png", "--field", "von_mises", "--size", "320x180",
            "--deformation", "0", "--hide-below", "von_mises=1")
    assert made.png == made._repr_png_() == (tmp_path / "wanted.png").read_bytes()
    assert repr(made) == f"Picture({str(states.path)!r}, frame {len(states) - 1})"
    made.save(tmp_path / "saved.png")
    assert (tmp_path / "saved.png").read_bytes() == made.png
    assert states[::2].picture("von_mises", 0, size="320x180").png != made.png
    with pytest.raises(piola.UsageError, match=f"^{states.path} has no field 'speed'; there are: .*F.xy$"):
        states.picture("speed")
    with pytest.raises(piola.UsageError, match="colour"):
        states.picture(colour="red")


def test_a_film_of_the_command(folder, tmp_path):
    states = piola_states.open(folder / "particles_2d")
    for part, frames in (states, 5), (states[::2], 3):
        out = part.film(tmp_path / f"{frames}.png", "velocity.y", fps=5, size="320x180", surface="none")
        data = out.read_bytes()
        assert data.startswith(b"\x89PNG") and data.count(b"fcTL") == frames
    with pytest.raises(piola.UsageError, match=f"^{states.path} has no field 'speed'; there are: .*F.xy$"):
        states.film(tmp_path / "no.png", "speed")
    with pytest.raises(piola.UsageError, match="every n-th"):
        states[1:3].film(tmp_path / "no.png")
    assert not (tmp_path / "no.png").exists()


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
