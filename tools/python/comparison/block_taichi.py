#!/usr/bin/env python3
"""block_taichi.py [--cells N] [--steps N] [--threads N] -- the block of block.py in Taichi, differentiated by its own
automatic differentiation. The states of all particles are kept; the grid is computed again in the backward sweep, as in
Taichi's own examples of differentiable MPM."""
import taichi as ti

import block
import measure

OFFSETS = [(i, j, k) for i in range(3) for j in range(3) for k in range(3)]


@ti.data_oriented
class Block:
    def __init__(self, cells, steps, keep):
        positions, velocities, spin = block.lattice(cells)
        self.steps, self.n, self.side = steps, len(positions), block.nodes(cells) + 1
        states = steps + 1 if keep else 2
        vector = dict(shape=(states, self.n), needs_grad=keep, dtype=ti.f32)
        self.x, self.v = ti.Vector.field(3, **vector), ti.Vector.field(3, **vector)
        self.C, self.F = ti.Matrix.field(3, 3, **vector), ti.Matrix.field(3, 3, **vector)
        self.E = ti.field(ti.f32, shape=self.n, needs_grad=keep)
        grid = dict(shape=(self.side,) * 3, needs_grad=keep, dtype=ti.f32)
        self.mass, self.momentum = ti.field(**grid), ti.Vector.field(3, **grid)
        self.speed = ti.Vector.field(3, **grid)
        self.E.fill(block.E)
        self.start(positions.astype("float32"), velocities.astype("float32"), ti.Matrix(spin.tolist()))

    @ti.kernel
    def start(self, x: ti.types.ndarray(), v: ti.types.ndarray(), spin: ti.types.matrix(3, 3, ti.f32)):
        for p in range(self.n):
            self.x[0, p] = ti.Vector([x[p, 0], x[p, 1], x[p, 2]])
            self.v[0, p] = ti.Vector([v[p, 0], v[p, 1], v[p, 2]])
            self.C[0, p] = spin
            self.F[0, p] = ti.Matrix.identity(ti.f32, 3)

    @ti.kernel
    def clear(self):
        for I in ti.grouped(self.mass):
            self.mass[I] = 0.0
            self.momentum[I] = ti.zero(self.momentum[I])

    @ti.kernel
    def clear_adjoint(self):
        for I in ti.grouped(self.mass):
            self.mass.grad[I] = 0.0
            self.momentum.grad[I] = ti.zero(self.momentum[I])
            self.speed.grad[I] = ti.zero(self.momentum[I])

    @ti.kernel
    def scatter(self, s: ti.i32):
        for p in range(self.n):
            place = self.x[s, p] * (1 / block.SPACING)
            base = ti.cast(place - 0.5, ti.i32)
            fx = place - ti.cast(base, ti.f32)
            w = [0.5 * (1.5 - fx)**2, 0.75 - (fx - 1)**2, 0.5 * (fx - 0.5)**2]
            F = self.F[s, p]
            mu, lam = self.E[p] * block.MU, self.E[p] * block.LAMBDA
            one = ti.Matrix.identity(ti.f32, 3)
            tau = mu * (F @ F.transpose() - one) + lam * ti.log(F.determinant()) * one
            affine = (-block.DT * block.VOLUME * 4 / block.SPACING**2) * tau + block.MASS * self.C[s, p]
            for i, j, k in ti.static(OFFSETS):
                offset = ti.Vector([i, j, k])
                weight = w[i][0] * w[j][1] * w[k][2]
                away = (ti.cast(offset, ti.f32) - fx) * block.SPACING
                self.momentum[base + offset] += weight * (block.MASS * self.v[s, p] + affine @ away)
                self.mass[base + offset] += weight * block.MASS

    @ti.kernel
    def divide(self):
        for I in ti.grouped(self.mass):
            if self.mass[I] > 0:
                self.speed[I] = self.momentum[I] / self.mass[I]

    @ti.kernel
    def gather(self, s: ti.i32, t: ti.i32):
        for p in range(self.n):
            place = self.x[s, p] * (1 / block.SPACING)
            base = ti.cast(place - 0.5, ti.i32)
            fx = place - ti.cast(base, ti.f32)
            w = [0.5 * (1.5 - fx)**2, 0.75 - (fx - 1)**2, 0.5 * (fx - 0.5)**2]
            v, C = ti.Vector.zero(ti.f32, 3), ti.Matrix.zero(ti.f32, 3, 3)
            for i, j, k in ti.static(OFFSETS):
                offset = ti.Vector([i, j, k])
                weight = w[i][0] * w[j][1] * w[k][2]
                speed = self.speed[base + offset]
                v += weight * speed
                C += (4 * weight / block.SPACING) * speed.outer_product(ti.cast(offset, ti.f32) - fx)
            self.v[t, p], self.C[t, p] = v, C
            self.x[t, p] = self.x[s, p] + block.DT * v
            self.F[t, p] = self.F[s, p] + block.DT * C @ self.F[s, p]

    def step(self, s, t):
        self.clear()
        self.scatter(s)
        self.divide()
        self.gather(s, t)

    def forward(self, keep):
        for s in range(self.steps):
            self.step(*((s, s + 1) if keep else (s % 2, (s + 1) % 2)))
        ti.sync()

    def backward(self):
        """dJ/dE of every particle, summed."""
        for field in (self.x, self.v, self.C, self.F, self.E):
            field.grad.fill(0)
        self.seed()
        for s in reversed(range(self.steps)):
            self.clear()
            self.clear_adjoint()
            self.scatter(s)
            self.divide()
            self.gather.grad(s, s + 1)
            self.divide.grad()
            self.scatter.grad(s)
        ti.sync()
        return float(self.E.grad.to_numpy().astype("float64").sum())

    @ti.kernel
    def seed(self):
        for p in range(self.n):
            self.v.grad[self.steps, p] = block.MASS * self.v[self.steps, p]


def main():
    options = block.options().parse_args()
    ti.init(arch=ti.cpu, default_fp=ti.f32, cpu_max_num_threads=options.threads, log_level=ti.WARN)
    keep = not options.forward_only
    body = Block(options.cells, options.steps, keep)
    body.step(0, 1)  # compiles

    def gradient():
        body.forward(True)
        return body.backward()

    _, forward, _ = measure.least(options.repeat, lambda: body.forward(keep))
    whole, slope = None, None
    if keep:
        gradient()  # compiles
        _, whole, slope = measure.least(options.repeat, gradient)
    last = body.v.to_numpy()[options.steps if keep else options.steps % 2]
    version = ".".join(str(part) for part in ti.__version__)
    block.report(options, "taichi", version, (block.energy(last) if keep else None, slope), (forward, whole))


if __name__ == "__main__":
    main()
