#!/usr/bin/env python3
"""bench_warp.py [--cells N] [--steps N] [--repeat N] [--kernels moments|plain] [--check] -- the case of `piola bench
mpm` in Warp, differentiated by one wp.Tape over all steps, which keeps every state and every grid; with --check, the
block of bench_case.py that spins. Prints one line of JSON. On a CPU Warp's kernels run on one thread.

Lame's parameters belong to particles, and their derivatives are part of the gradient, as in Piola. The two programs
differ in how they write the transfers: `moments` adds up w v and w v o^T with constant offsets o, which the adjoint of
Warp likes, and keeps mass and momentum of a node in one vector; `plain` adds up what examples of MLS-MPM add up.
"""
import argparse
import json
import time

import numpy as np
import warp as wp

import bench_case as case
import measure

H, INVERSE, DT = wp.constant(case.SPACING), wp.constant(1 / case.SPACING), wp.constant(case.DT)
MASS, FACTOR = wp.constant(case.MASS), wp.constant(-case.DT * case.VOLUME * 4 / case.SPACING**2)
# A node of less mass rests: the weights that reach it are as small, and the derivative of p/m, which Warp divides by m
# twice, would overflow in f32.
LEAST = wp.constant(1e-12 * case.MASS)
PULL = wp.constant(wp.vec3(*(case.DT * g for g in case.GRAVITY)))


@wp.func
def spline(f: float):
    return wp.vec3(0.5 * (1.5 - f) * (1.5 - f), 0.75 - (f - 1.0) * (f - 1.0), 0.5 * (f - 0.5) * (f - 0.5))


@wp.func
def kirchhoff(F: wp.mat33, mu: float, lam: float):
    one = wp.identity(n=3, dtype=float)
    return mu * (F * wp.transpose(F) - one) + lam * wp.log(wp.determinant(F)) * one


@wp.kernel
def scatter_moments(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), C: wp.array(dtype=wp.mat33),
                    F: wp.array(dtype=wp.mat33), mu: wp.array(dtype=float), lam: wp.array(dtype=float),
                    grid: wp.array3d(dtype=wp.vec4)):
    p = wp.tid()
    place = x[p] * INVERSE
    bi, bj, bk = int(place[0] - 0.5), int(place[1] - 0.5), int(place[2] - 0.5)
    f = place - wp.vec3(float(bi), float(bj), float(bk))
    wx, wy, wz = spline(f[0]), spline(f[1]), spline(f[2])
    B = (FACTOR * H) * kirchhoff(F[p], mu[p], lam[p]) + (MASS * H) * C[p]
    b = MASS * v[p] - B * f
    for i in range(3):
        for j in range(3):
            for k in range(3):
                q = b + B * wp.vec3(float(i), float(j), float(k))
                wp.atomic_add(grid, bi + i, bj + j, bk + k, wx[i] * wy[j] * wz[k] * wp.vec4(q[0], q[1], q[2], MASS))


@wp.kernel
def scatter_plain(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), C: wp.array(dtype=wp.mat33),
                  F: wp.array(dtype=wp.mat33), mu: wp.array(dtype=float), lam: wp.array(dtype=float),
                  mass: wp.array3d(dtype=float), momentum: wp.array3d(dtype=wp.vec3)):
    p = wp.tid()
    place = x[p] * INVERSE
    bi, bj, bk = int(place[0] - 0.5), int(place[1] - 0.5), int(place[2] - 0.5)
    f = place - wp.vec3(float(bi), float(bj), float(bk))
    wx, wy, wz = spline(f[0]), spline(f[1]), spline(f[2])
    affine = FACTOR * kirchhoff(F[p], mu[p], lam[p]) + MASS * C[p]
    for i in range(3):
        for j in range(3):
            for k in range(3):
                weight = wx[i] * wy[j] * wz[k]
                away = (wp.vec3(float(i), float(j), float(k)) - f) * H
                wp.atomic_add(momentum, bi + i, bj + j, bk + k, weight * (MASS * v[p] + affine * away))
                wp.atomic_add(mass, bi + i, bj + j, bk + k, weight * MASS)


@wp.kernel
def divide_moments(grid: wp.array3d(dtype=wp.vec4), speed: wp.array3d(dtype=wp.vec3)):
    i, j, k = wp.tid()
    sums = grid[i, j, k]
    if sums[3] > LEAST:
        speed[i, j, k] = wp.vec3(sums[0], sums[1], sums[2]) / sums[3] + PULL


@wp.kernel
def divide_plain(mass: wp.array3d(dtype=float), momentum: wp.array3d(dtype=wp.vec3), speed: wp.array3d(dtype=wp.vec3)):
    i, j, k = wp.tid()
    if mass[i, j, k] > LEAST:
        speed[i, j, k] = momentum[i, j, k] / mass[i, j, k] + PULL


@wp.kernel
def gather_moments(x: wp.array(dtype=wp.vec3), F: wp.array(dtype=wp.mat33), speed: wp.array3d(dtype=wp.vec3),
                   x_new: wp.array(dtype=wp.vec3), v_new: wp.array(dtype=wp.vec3), C_new: wp.array(dtype=wp.mat33),
                   F_new: wp.array(dtype=wp.mat33)):
    p = wp.tid()
    place = x[p] * INVERSE
    bi, bj, bk = int(place[0] - 0.5), int(place[1] - 0.5), int(place[2] - 0.5)
    f = place - wp.vec3(float(bi), float(bj), float(bk))
    wx, wy, wz = spline(f[0]), spline(f[1]), spline(f[2])
    v = wp.vec3()
    M = wp.mat33()
    for i in range(3):
        for j in range(3):
            for k in range(3):
                y = wx[i] * wy[j] * wz[k] * speed[bi + i, bj + j, bk + k]
                v += y
                M += wp.outer(y, wp.vec3(float(i), float(j), float(k)))
    C = (4.0 * INVERSE) * (M - wp.outer(v, f))
    x_new[p] = x[p] + DT * v
    v_new[p] = v
    C_new[p] = C
    F_new[p] = F[p] + DT * C * F[p]


@wp.kernel
def gather_plain(x: wp.array(dtype=wp.vec3), F: wp.array(dtype=wp.mat33), speed: wp.array3d(dtype=wp.vec3),
                 x_new: wp.array(dtype=wp.vec3), v_new: wp.array(dtype=wp.vec3), C_new: wp.array(dtype=wp.mat33),
                 F_new: wp.array(dtype=wp.mat33)):
    p = wp.tid()
    place = x[p] * INVERSE
    bi, bj, bk = int(place[0] - 0.5), int(place[1] - 0.5), int(place[2] - 0.5)
    f = place - wp.vec3(float(bi), float(bj), float(bk))
    wx, wy, wz = spline(f[0]), spline(f[1]), spline(f[2])
    v = wp.vec3()
    C = wp.mat33()
    for i in range(3):
        for j in range(3):
            for k in range(3):
                weight = wx[i] * wy[j] * wz[k]
                y = speed[bi + i, bj + j, bk + k]
                v += weight * y
                C += (4.0 * weight * INVERSE) * wp.outer(y, wp.vec3(float(i), float(j), float(k)) - f)
    x_new[p] = x[p] + DT * v
    v_new[p] = v
    C_new[p] = C
    F_new[p] = F[p] + DT * C * F[p]


# (types of what a node sums, the three kernels of a step)
PROGRAMS = {"moments": ((wp.vec4,), scatter_moments, divide_moments, gather_moments),
            "plain": ((float, wp.vec3), scatter_plain, divide_plain, gather_plain)}


class Body:
    """The particles of a case, with memory for every state, every grid and their cotangents."""

    def __init__(self, options, cells, steps, start):
        x, v, C = start
        new = dict(requires_grad=True)
        self.n, self.steps, self.shape = len(x), steps, (case.side(cells),) * 3
        sums, *self.kernels = PROGRAMS[options.kernels]
        self.x, self.v = ([wp.zeros(self.n, dtype=wp.vec3, **new) for _ in range(steps + 1)] for _ in range(2))
        self.C, self.F = ([wp.zeros(self.n, dtype=wp.mat33, **new) for _ in range(steps + 1)] for _ in range(2))
        self.grids = [[wp.zeros(self.shape, dtype=kind, **new) for kind in sums] for _ in range(steps)]
        self.speeds = [wp.zeros(self.shape, dtype=wp.vec3, **new) for _ in range(steps)]
        self.mu, self.lam = (wp.full(self.n, value, dtype=float, **new) for value in (case.MU, case.LAMBDA))
        self.first = [wp.array(a.astype(np.float32), dtype=kind) for a, kind in (
            (x, wp.vec3), (v, wp.vec3), (np.broadcast_to(C, (self.n, 3, 3)), wp.mat33),
            (np.broadcast_to(np.eye(3), (self.n, 3, 3)), wp.mat33))]

    def start(self):
        for array, first in zip((self.x[0], self.v[0], self.C[0], self.F[0]), self.first):
            wp.copy(array, first)

    def step(self, s, t, grid):
        """From state s to state t, which may be the same."""
        scatter, divide, gather = self.kernels
        x, v, C, F, sums, speed = self.x, self.v, self.C, self.F, self.grids[grid], self.speeds[grid]
        for array in sums:
            array.zero_()
        wp.launch(scatter, self.n, [x[s], v[s], C[s], F[s], self.mu, self.lam], sums)
        wp.launch(divide, self.shape, sums, [speed])
        wp.launch(gather, self.n, [x[s], F[s], speed], [x[t], v[t], C[t], F[t]])

    def advance(self):
        """So many steps in place, with one grid and without states."""
        for _ in range(self.steps):
            self.step(0, 0, 0)

    def gradient(self, seed):
        """The adjoint sweep begins with what `seed(self)` returns, {array of the last state: its cotangent}. Returns
        the sums over all particles, in double, of the cotangents of the first velocity, [3], of mu and of lambda."""
        self.start()
        record = wp.Tape()
        with record:
            for s in range(self.steps):
                self.step(s, s + 1, s)
        record.backward(grads=seed(self))
        sums = [array.grad.numpy().astype(float).sum(axis=0) for array in (self.v[0], self.mu, self.lam)]
        record.zero()
        return sums


def timed(call):
    begin = time.process_time()
    value = call()
    return time.process_time() - begin, value


def bench(options):
    """The benchmark case, as `piola bench mpm` times it: forward are the second so many steps; the gradient of the mean
    x begins with the start and ends with cotangents that are cleared for the next."""
    x, v = case.fill(options.cells)
    body = Body(options, options.cells, options.steps, (x, v, np.zeros((3, 3))))
    weight = wp.array(np.tile(np.float32([1 / body.n, 0, 0]), (body.n, 1)), dtype=wp.vec3)
    ends = []

    def seed(body):
        ends.append(body.x[body.steps].numpy().astype(float).mean(axis=0))
        return {body.x[body.steps]: weight}

    body.gradient(seed)
    forward, whole = [], []
    for _ in range(options.repeat):
        body.start()
        body.advance()
        forward.append(timed(body.advance)[0])
        seconds, (slope, *_) = timed(lambda: body.gradient(seed))
        whole.append(seconds)
    each = 1e9 / (body.n * options.steps)
    return {"particles": body.n, "occupied": case.occupied(x, options.cells),
            "duration": options.steps * case.DT, "slope": list(slope),
            "moved": list(ends[-1] - x.mean(axis=0)), "fall": list(case.fall(v, options.steps)),
            "forward_ns": each * min(forward), "gradient_ns": each * min(whole)}


def check(options):
    """The block that spins: its kinetic energy J, the path of its centre, and dJ/dE, dJ/dnu and dJ/dv."""
    x, v, C = case.check_block()
    body = Body(options, case.CHECK_CELLS, case.CHECK_STEPS, (x, v, C))

    def seed(body):
        last = body.v[body.steps]
        return {last: wp.array(np.float32(case.MASS) * last.numpy(), dtype=wp.vec3)}

    by_v, by_mu, by_lambda = body.gradient(seed)
    by_E, by_nu = case.by_parameters(by_mu, by_lambda)
    last = body.v[body.steps].numpy().astype(float)
    path = body.x[body.steps].numpy().astype(float).mean(axis=0) - x.mean(axis=0)
    return {"J": 0.5 * case.MASS * float((last**2).sum()), "path": list(path), "dJ/dE": by_E, "dJ/dnu": by_nu,
            "dJ/dv": list(by_v)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=16, help="along an edge of the block; 8 particles each")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=5, help="the least time of so many counts")
    parser.add_argument("--kernels", choices=PROGRAMS, default="moments")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    wp.set_device("cpu")
    result = check(options) if options.check else bench(options)
    result.update(version=wp.config.version, peak_MB=round(measure.peak_bytes() / 1e6, 1))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
