"""A network of PyTorch drives the muscles of a soft crawler, and learns by gradients through the simulation.

    python3 neural_controller.py [EPOCHS]

The network sees a clock and returns the activations of six groups of fibres; these are knots of the splines of
scenes/mpm_crawler.yaml, eight in each period. The loss is how far the crawler stays behind, in its lengths of 80 mm.
"""
import math
import pathlib
import sys

import piola
import piola.torch
import torch

SCENE = pathlib.Path(__file__).resolve().parents[3] / "scenes/mpm_crawler.yaml"
MUSCLES = ("belly", "back", "hind_behind", "hind_before", "fore_behind", "fore_before")
KNOTS, PERIOD, LIMIT, LENGTH = 8, 0.125, 4000.0, 0.08  # 1, s, Pa, m


class Controller(torch.nn.Module):
    """Activations (muscles, knots), Pa, at phases of a clock (knots,)."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, len(MUSCLES)))

    def forward(self, phase):
        return LIMIT * torch.tanh(self.layers(torch.stack([phase.sin(), phase.cos()], dim=1))).T


def train(epochs, duration=0.5, report=print):
    """Trains for some epochs of one run of `duration`, s, each; returns the controller and the losses."""
    torch.manual_seed(1)
    controller = Controller().double()
    optimiser = torch.optim.Adam(controller.parameters(), lr=0.02)
    phase = 2 * math.pi * torch.arange(KNOTS, dtype=torch.float64) / KNOTS
    losses = []
    with piola.Problem(SCENE, set={"time.duration": duration}, device="cpu") as problem:
        simulate = piola.torch.function(problem, [f"control.{name}.knots" for name in MUSCLES])
        for epoch in range(epochs + 1):
            _, observed = simulate(*controller(phase))
            way = observed["place"][-1, 0] - LENGTH / 2
            loss = torch.exp(-way / LENGTH) + 1e-9 * observed["work"].sum()
            losses.append(loss.item())
            report(f"epoch {epoch}: loss {losses[-1]:.4f}, way {way.item() * 1000:.1f} mm")
            if epoch < epochs:
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
    return controller, losses


if __name__ == "__main__":
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
