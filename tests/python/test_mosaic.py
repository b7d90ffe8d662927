"""Piola as a solver of Mosaic's problem `structural-mesh`: its references, and derivatives beside differences."""
import pathlib

import numpy as np
import piola
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tools/python/examples/mosaic"
# Compliance of the cantilever of 8 x 2 x 4 elements under a load of 1 on its end, for the same density everywhere: the
# file forward_agreement.npz of mosaic-bench 0.2.0, which is under the licence Apache-2.0.
REFERENCES = {0.2: 0.0556488, 0.4: 0.0077059567, 0.5: 0.003975325, 0.7: 0.0014560857, 0.9: 0.00068615656}


@pytest.fixture(autouse=True)
def folders(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.syspath_prepend(FOLDER / "piola_structural")


def cantilever(order=None):
    """Mesh and conditions of Mosaic's cantilever, [0, 2] x [0, 1] x [0, 1] m; with its elements in another order."""
    shape, size = (8, 2, 4), (2.0, 1.0, 1.0)
    axes = [np.linspace(0, length, n + 1, dtype=np.float32) for n, length in zip(shape, size)]
    points = np.stack([a.reshape(-1) for a in np.meshgrid(*axes, indexing="ij")], axis=1)
    numbers = np.arange(len(points)).reshape([n + 1 for n in shape])
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = np.stack([numbers[i:i + 8, j:j + 2, k:k + 4].reshape(-1) for i, j, k in corners], axis=1)
    if order is not None:
        cells = cells[order]
    mesh = {"points": np.append(points, np.zeros((3, 3)), axis=0), "faces": np.append(cells, 0 * cells[:5], axis=0),
            "n_points": len(points), "n_faces": len(cells)}
    x = mesh["points"][:, 0]
    end = (x == 2).astype(int)
    return mesh, {"dirichlet": {"mask": (x == 0).astype(int), "values": None},
                  "neumann": {"mask": end, "values": np.array([[0, 0, -1.0]])}}


def densities(seed):
    return np.clip(0.5 + 0.3 * np.random.default_rng(seed).standard_normal(64), 0.05, 0.95)


def test_compliance_is_that_of_the_references():
    from structure import Structure

    structure = Structure(*cantilever())

    def worst(factor):
        found = {rho: structure.compliance(np.full(69, factor * np.float32(rho))) for rho in REFERENCES}
        return max(abs(found[rho] / wanted - 1) for rho, wanted in REFERENCES.items())

    error, softer = worst(1), worst(0.999)
    print(f"relative: measured {error:.1e}, with 0.1 % less density {softer:.1e}, threshold 1e-7")
    assert error < 1e-7 < softer


def test_gradient_has_the_slopes_of_differences_whatever_the_order_of_elements():
    from structure import Structure

    rho, order = densities(1), np.random.default_rng(2).permutation(64)
    plain, shuffled = Structure(*cantilever()), Structure(*cantilever(order))
    slope = plain.gradient(np.append(rho, np.full(5, 7.0)))
    assert slope.shape == (69,) and not slope[64:].any()
    np.testing.assert_allclose(shuffled.gradient(rho[order]), slope[:64][order], rtol=1e-7)
    assert abs(shuffled.gradient(rho) / slope[:64] - 1).max() > 0.1
    way = np.random.default_rng(3).standard_normal(64)
    way *= 1e-3 / np.linalg.norm(way)
    near = [plain.compliance(rho + k * way) for k in (-2, -1, 1, 2)]
    rate = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / 12
    error = abs(slope[:64] @ way / rate - 1)
    print(f"slope {rate:.4e}: measured {error:.1e}, threshold 1e-7")
    assert error < 1e-7


def test_several_loads_and_errors():
    from structure import Structure

    mesh, conditions = cantilever()
    one = Structure(mesh, conditions).compliance(densities(4))
    x, _, z = mesh["points"].T
    conditions["neumann"] = {"mask": (x == 2) * (1 + (z > 0.5)), "values": np.array([[0, 0, -1.0], [0, 0, -1.0]])}
    two = Structure(mesh, conditions).compliance(densities(4))
    assert 0.1 * one < two < 0.9 * one, "a face between two groups is in none"
    with pytest.raises(piola.NumericalError, match="relative density below 0"):
        Structure(mesh, conditions).compliance(np.full(64, -0.2))
    conditions["dirichlet"]["values"] = np.array([[0, 0, 0.1]])
    with pytest.raises(ValueError, match="displacements other than 0"):
        Structure(mesh, conditions)


def test_experiments_of_mosaic_run():
    pytest.importorskip("mosaic")
    import run

    solver = run.opened()
    for name in run.SWEEPS:
        error = max(abs(found / reference - 1) for _, found, reference in run.forward(solver, name))
        print(f"forward/{name}: measured {error:.1e}, threshold 2e-7")
        assert error < 2e-7
    found = run.gradient(solver)
    print(f"gradient/fd_check: {found}; thresholds 1e-3 and 1e-8, of outputs in float32")
    assert min(e for e, _ in found.values()) < 1e-3 and min(c for _, c in found.values()) < 1e-8
