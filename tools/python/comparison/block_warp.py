#!/usr/bin/env python3
"""block_warp.py [--cells N] [--steps N] -- the block of block.py in Warp, differentiated by wp.Tape. The states of all
particles are kept; each step is recorded again in the backward sweep, so that one grid is enough. On a CPU Warp's
kernels run on one thread."""
import numpy as np
import warp as wp

import block
import measure

H, INVERSE, DT = wp.constant(block.SPACING), wp.constant(1 / block.SPACING), wp.constant(block.DT)
MASS, FACTOR = wp.constant(block.MASS), wp.constant(-block.DT * block.VOLUME * 4 / block.SPACING**2)
MU, LAMBDA = wp.constant(block.MU), wp.constant(block.LAMBDA)


@wp.func
def spline(f: float):
    return wp.vec3(0.5 * (1.5 - f) * (1.5 - f), 0.75 - (f - 1.0) * (f - 1.0), 0.5 * (f - 0.5) * (f - 0.5))


@wp.kernel
def scatter(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), C: wp.array(dtype=wp.mat33),
            F: wp.array(dtype=wp.mat33), E: wp.array(dtype=float), mass: wp.array3d(dtype=float),
            momentum: wp.array3d(dtype=wp.vec3)):
    p = wp.tid()
    place = x[p] * INVERSE
    bi, bj, bk = int(place[0] - 0.5), int(place[1] - 0.5), int(place[2] - 0.5)
    fx = place - wp.vec3(float(bi), float(bj), float(bk))
    wx, wy, wz = spline(fx[0]), spline(fx[1]), spline(fx[2])
    one = wp.identity(n=3, dtype=float)
    tau = E[p] * (MU * (F[p] * wp.transpose(F[p]) - one) + LAMBDA * wp.log(wp.determinant(F[p])) * one)
    affine = FACTOR * tau + MASS * C[p]
    for i in range(3):
        for j in range(3):
            for k in range(3):
                weight = wx[i] * wy[j] * wz[k]
                away = (wp.vec3(float(i), float(j), float(k)) - fx) * H
                wp.atomic_add(momentum, bi + i, bj + j, bk + k, weight * (MASS * v[p] + affine * away))
                wp.atomic_add(mass, bi + i, bj + j, bk + k, weight * MASS)


@wp.kernel
def divide(mass: wp.array3d(dtype=float), momentum: wp.array3d(dtype=wp.vec3), speed: wp.array3d(dtype=wp.vec3)):
    i, j, k = wp.tid()
    if mass[i, j, k] > 0.0:
        speed[i, j, k] = momentum[i, j, k] / mass[i, j, k]


@wp.kernel
def gather(x: wp.array(dtype=wp.vec3), F: wp.array(dtype=wp.mat33), speed: wp.array3d(dtype=wp.vec3),
           x_new: wp.array(dtype=wp.vec3), v_new: wp.array(dtype=wp.vec3), C_new: wp.array(dtype=wp.mat33),
           F_new: wp.array(dtype=wp.mat33)):
    p = wp.tid()
    place = x[p] * INVERSE
    bi, bj, bk = int(place[0] - 0.5), int(place[1] - 0.5), int(place[2] - 0.5)
    fx = place - wp.vec3(float(bi), float(bj), float(bk))
    wx, wy, wz = spline(fx[0]), spline(fx[1]), spline(fx[2])
    v = wp.vec3()
    C = wp.mat33()
    for i in range(3):
        for j in range(3):
            for k in range(3):
                weight = wx[i] * wy[j] * wz[k]
                y = speed[bi + i, bj + j, bk + k]
                v += weight * y
                C += (4.0 * weight * INVERSE) * wp.outer(y, wp.vec3(float(i), float(j), float(k)) - fx)
    x_new[p] = x[p] + DT * v
    v_new[p] = v
    C_new[p] = C
    F_new[p] = F[p] + DT * C * F[p]


class Block:
    def __init__(self, cells, steps, keep):
        x, v, spin = block.lattice(cells)
        self.steps, self.n, self.side = steps, len(x), block.nodes(cells) + 1
        states = steps + 1 if keep else 2
        new = dict(requires_grad=keep)
        self.x, self.v = ([wp.zeros(self.n, dtype=wp.vec3, **new) for _ in range(states)] for _ in range(2))
        self.C, self.F = ([wp.zeros(self.n, dtype=wp.mat33, **new) for _ in range(states)] for _ in range(2))
        self.E = wp.full(self.n, block.E, dtype=float, **new)
        shape = (self.side,) * 3
        self.mass = wp.zeros(shape, dtype=float, **new)
        self.momentum, self.speed = (wp.zeros(shape, dtype=wp.vec3, **new) for _ in range(2))
        self.x[0].assign(x.astype(np.float32))
        self.v[0].assign(v.astype(np.float32))
        self.C[0].assign(np.tile(spin.astype(np.float32), (self.n, 1, 1)))
        self.F[0].assign(np.tile(np.eye(3, dtype=np.float32), (self.n, 1, 1)))

    def step(self, s, t):
        x, v, C, F = self.x, self.v, self.C, self.F
        wp.launch(scatter, self.n, [x[s], v[s], C[s], F[s], self.E], [self.mass, self.momentum])
        wp.launch(divide, (self.side,) * 3, [self.mass, self.momentum], [self.speed])
        wp.launch(gather, self.n, [x[s], F[s], self.speed], [x[t], v[t], C[t], F[t]])

    def clear(self):
        self.mass.zero_()
        self.momentum.zero_()

    def forward(self, keep):
        for s in range(self.steps):
            self.clear()
            self.step(*((s, s + 1) if keep else (s % 2, (s + 1) % 2)))

    def backward(self):
        """dJ/dE of every particle, summed."""
        for arrays in (self.x, self.v, self.C, self.F, [self.E]):
            for array in arrays:
                array.grad.zero_()
        self.v[self.steps].grad.assign(np.float32(block.MASS) * self.v[self.steps].numpy())
        for s in reversed(range(self.steps)):
            self.clear()
            for array in (self.mass, self.momentum, self.speed):
                array.grad.zero_()
            record = wp.Tape()
            with record:
                self.step(s, s + 1)
            record.backward()
        return float(self.E.grad.numpy().astype("float64").sum())


def main():
    options = block.options().parse_args()
    wp.config.quiet = True
    wp.init()
    wp.set_device("cpu")
    keep = not options.forward_only
    body = Block(options.cells, options.steps, keep)
    body.step(0, 1)  # compiles

    def gradient():
        body.forward(True)
        return body.backward()

    _, forward, _ = measure.least(options.repeat, lambda: body.forward(keep))
    _, whole, slope = measure.least(options.repeat, gradient) if keep else (None, None, None)
    last = body.v[options.steps if keep else options.steps % 2].numpy()
    objective = block.energy(last) if keep else None  # without kept states a run goes on where the last one ended
    block.report(options, "warp", wp.config.version, (objective, slope), (forward, whole))


if __name__ == "__main__":
    main()
