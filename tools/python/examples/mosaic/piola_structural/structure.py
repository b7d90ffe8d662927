"""The compliance of a structure of hexahedra with a density in each, as Mosaic's problem `structural-mesh` states it.

Each element has Young's modulus E_min + (E_max - E_min) rho^3, Poisson's ratio nu and small strains; nodes with a mask
of displacements are held, and on faces all of whose nodes have a mask of tractions these act. The compliance is the
work of the tractions, F.u.
"""
import tempfile

import numpy as np
import piola

# Of a hexahedron, by the numbers of its nodes, seen from outside.
FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


def outer_faces(cells):
    """(faces, 4) nodes of the faces that belong to one element alone."""
    faces = np.concatenate([cells[:, list(f)] for f in FACES])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[np.sort(first[count == 1])]


def mesh_text(points, cells, groups):
    """A mesh in Gmsh's format 2.2, of hexahedra, the group "all", and of faces: {name of a group: (faces, 4) nodes}."""
    named = [("all", 3, 5, cells), *((name, 2, 3, faces) for name, faces in groups.items())]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(named))]
    lines += [f'{dimension} {k} "{name}"' for k, (name, dimension, _, _) in enumerate(named, 1)]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points.tolist(), 1)]
    items = [f"{kind} 2 {k} {k} {' '.join(map(str, nodes))}" for k, (_, _, kind, elements) in enumerate(named, 1)
             for nodes in (np.asarray(elements) + 1).tolist()]
    lines += ["$EndNodes", "$Elements", str(len(items)), *(f"{i} {item}" for i, item in enumerate(items, 1))]
    return "\n".join([*lines, "$EndElements", ""])


class Structure:
    """A mesh with supports and tractions, whose densities may change.

    Args:
        mesh: a dict: points (n, 3), m, faces (elements, 8), the nodes of each hexahedron, and n_points and n_faces, how
            many of these count.
        conditions: a dict: dirichlet with mask (n,), 0: free; neumann with mask (n,), k: of group k, and values
            (groups, 3), Pa.
        E_max, nu, xmin: Young's modulus of the solid, Pa, its Poisson's ratio, and E_min/E_max.
        device: as of piola.Problem.

    ValueError if displacements other than 0 are prescribed.
    """

    def __init__(self, mesh, conditions, E_max=70e3, nu=0.3, xmin=1e-3, device="cpu"):
        points = np.asarray(mesh["points"], dtype=np.float64)[:mesh["n_points"]]
        cells = np.asarray(mesh["faces"])[:mesh["n_faces"]]
        held, loaded = conditions["dirichlet"], conditions["neumann"]
        if held["values"] is not None and np.any(held["values"]):
            raise ValueError("displacements other than 0 are prescribed, of which this problem has none")
        outer, groups = outer_faces(cells), {}
        groups["held"] = outer[np.all(np.asarray(held["mask"])[outer] > 0, axis=1)]
        tractions = np.asarray(loaded["values"], dtype=np.float64)
        for k in range(len(tractions)):
            groups[f"load{k + 1}"] = outer[np.all(np.asarray(loaded["mask"])[outer] == k + 1, axis=1)]
        self._folder = tempfile.TemporaryDirectory()
        with open(f"{self._folder.name}/mesh.msh", "w", encoding="ascii") as file:
            file.write(mesh_text(points, cells, groups))
        self.problem = piola.Problem(piola.Scene({
            "version": 1, "name": "structure",
            "method": {"type": "fem", "dimension": 3, "precision": "f64"},
            "geometry": [{"name": "mesh", "type": "mesh", "file": "mesh.msh"}],
            "materials": [{"name": "solid", "model": "linear", "E": E_max, "nu": nu}],
            "bodies": [{"name": "beam", "geometry": "mesh", "material": "solid", "relative_density": 0.5,
                        "interpolation": {"type": "simp", "power": 3, "least": xmin}}],
            "boundary": [{"name": "wall", "body": "beam", "on": {"group": "held"}, "type": "fixed"}],
            "loads": [{"name": f"load{k + 1}", "body": "beam", "on": {"group": f"load{k + 1}"}, "type": "traction",
                       "value": value} for k, value in enumerate(tractions)],
            "observe": [{"name": "compliance", "type": "compliance"}],
            "design": [{"name": "rho", "target": "bodies.beam.relative_density", "per": "element", "bounds": [0, 1]}],
            "objective": [{"type": "minimize", "of": "compliance"}],
        }, file=f"{self._folder.name}/scene.yaml"), device=device)

    def compliance(self, rho):
        """The compliance, J, at densities rho (elements,) from 0 to 1; those beyond the last element do not count."""
        return self.problem.value(self._design(rho))

    def gradient(self, rho):
        """Its derivative with respect to rho, J, of the shape of rho."""
        made = np.zeros(np.shape(rho))
        made[:len(self.problem.variables)] = self.problem.evaluate(self._design(rho))[1]
        return made

    def _design(self, rho):
        return np.asarray(rho, dtype=np.float64)[:len(self.problem.variables)]
