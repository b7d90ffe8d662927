"""A network of PyTorch is the stiffness of a soft sheet: it learns the hidden inclusion of scenes/fem_field_id.yaml.

    python3 neural_material.py [ITERATIONS]

The network maps places to Young's modulus; each element has its value at the element's centre. The loss is the mean
square distance of the sheet's sides from where they were measured, under three loads, relative to that at the start.
"""
import math
import pathlib
import sys

import piola
import piola.torch
import torch

SCENE = pathlib.Path(__file__).resolve().parents[3] / "scenes/fem_field_id.yaml"
ELEMENTS, WIDTH, SOFT = 20, 0.1, 100e3  # along each side; m; Pa


class Material(torch.nn.Module):
    """Young's modulus (elements,), Pa, at places (elements, 2), m, of sines of the places with random periods."""

    def __init__(self):
        super().__init__()
        self.register_buffer("waves", 2 * math.pi / WIDTH * torch.randn(2, 16))
        self.layers = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))

    def forward(self, places):
        angles = places @ self.waves
        return SOFT * torch.exp(self.layers(torch.cat([angles.sin(), angles.cos()], dim=1)).squeeze(1))


def train(iterations, report=print):
    """Trains for some iterations of L-BFGS; returns Young's modulus (elements,), Pa, and the losses."""
    torch.manual_seed(2)
    material = Material().double()
    along = WIDTH * (torch.arange(ELEMENTS, dtype=torch.float64) + 0.5) / ELEMENTS
    centres = torch.cartesian_prod(along, along).flip(1)  # row by row
    optimiser = torch.optim.LBFGS(material.parameters(), max_iter=iterations, history_size=20, tolerance_grad=0,
                                  tolerance_change=0, line_search_fn="strong_wolfe")
    losses = []
    with piola.Problem(SCENE, device="cpu") as problem:
        simulate = piola.torch.function(problem, ["modulus"])

        def closure():
            optimiser.zero_grad()
            distance = simulate(material(centres))[1]["surface"].sum()
            losses.append(distance.item() / (losses[0] if losses else 1))
            (distance / losses[0]).backward()
            return distance.detach() / losses[0]

        optimiser.step(closure)
    report(f"{len(losses)} evaluations: loss {losses[-1]:.2e}")
    return material(centres).detach(), [1.0, *losses[1:]]


if __name__ == "__main__":
    E, _ = train(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
    print(f"E from {E.min() / 1000:.0f} to {E.max() / 1000:.0f} kPa, most at element {int(E.argmax())}")
