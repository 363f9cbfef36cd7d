"""The marginal likelihood of the Gaussian process, profiled down to two unknowns, and its maximum; compiled.

| symbol | here           | meaning                                                                     |
| ------ | -------------- | --------------------------------------------------------------------------- |
| y      | ``targets``    | standardised objective values, shape (n,)                                   |
| r      | ``distances``  | Euclidean distances of the whitened inputs, shape (n, n), of which j < i    |
| ℓ      | ``length``     | length scale                                                                |
| s_f²   | ``signal``     | signal variance                                                             |
| σ_n²   |                | noise variance                                                              |
| η      | ``ratio``      | noise ratio σ_n²/s_f²                                                       |
| β      | ``mean``       | constant mean                                                               |
| M      |                | correlations, functions of r/ℓ                                              |
| T      | ``trend``      | covariances of a trend in units of s_f², shape (n, n); (0, 0): there is none |
| A      |                | M + T + ηI = LLᵀ, so that the covariance of y is s_f² A                     |

The negative log likelihood is

    n/2 ln 2π + n/2 ln s_f² + ½ ln |A| + q/(2 s_f²),   q = (y − β)ᵀ A⁻¹ (y − β).

Given (ℓ, η) it is quadratic in β and convex in ln s_f², so that both minimisers have closed forms, and their
bounds are met exactly by clipping:

    β = 1ᵀA⁻¹y / 1ᵀA⁻¹1   (generalised least squares),      s_f² = q/n.

What remains is a function of (ln ℓ, ln η). One value of it costs one factorisation and little else: 1 and y are
two more rows of the matrix, so that L⁻¹1 and L⁻¹y come with its factor. A slope would cost A⁻¹, twice as much
as two more values; so the search takes values only, and fits its own quadratic to them.

Another covariance function is another ``correlate``, the one function here that knows it. What calls each other is in
one file: Numba compiles it anew when the file changes.

The search runs in the coordinates (ln ℓ / 0.4, (ln η + 3 ln ℓ) / 2). Where ℓ is large the data fix the roughness
s_f²/ℓ⁵ and σ_n² much better than ℓ: the likelihood has a valley in which ln η falls by about 3 for each ln ℓ.
"""

import math
from typing import NamedTuple

import numpy as np

from sacma.surrogate.compiled import call_dpotrf, compiled, inlined, inlined_sums
from sacma.types import Array, Indices

_GRADIENT_STEP = 1e-5  # of distances, in units of ℓ: errors of the difference and of rounding are about equal

JITTER_FACTOR = 100.0  # factor of η of all starts if A has no Cholesky factor at any of them
MOST_JITTERS = 7  # most such increases: from the smallest η up to 1

# The search, tuned on training sets recorded from trials on all bbob functions. Lengths of steps are in its own
# coordinates, or in the metric of its quadratic, in which a step of length 1 raises it by ½.
_LENGTH_UNIT = 0.4
_RATIO_UNIT = 2.0
_VALLEY = 3.0
_FIRST_RADIUS = 1.5
_LARGEST_RADIUS = 16.0
_SMALLEST_RADIUS = 0.02
_FLAT_STEP = 1.5  # length of a step of length 1 in the quadratic's metric, where the quadratic is flat
_TOLERANCE = 0.02  # a search ends where its quadratic promises less, with evaluations around it in all directions
_SHELL = 0.3  # those evaluations lie where the quadratic is higher by about this, …
_FLAT_SHELL = 3.0  # … or, where it is flat, as far as this; …
_FIRST_SHELL = 1.0  # … or this, as long as there are fewer than three of them
_COSINE = 0.7  # each direction is at most 45° off one of them
_REACH = 4.0  # the quadratic is fitted to evaluations within this distance of the best, …
_SOFTNESS = 0.2  # … with the weight 1/(this + loss)², so that it fits best where the likelihood is high
_APART = 2.0  # least distance of a further start from starts and ends of earlier searches
_LOSES = 0.5  # a search is given up if three times its expected gain would leave it this much below the best
# Values of a careful search, which explores a wider neighbourhood more closely.
_CAREFUL_TOLERANCE = 0.003
_CAREFUL_SHELL = 0.5
_CAREFUL_COSINE = 0.85

_COSINES = np.cos(np.arange(32) * math.pi / 16.0)
_SINES = np.sin(np.arange(32) * math.pi / 16.0)

_LN2_HIGH = 6.93147180369123816490e-01  # ln 2 in two parts, the first with zeros at its end
_LN2_LOW = 1.90821492927058770002e-10
_ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to an integer, found in the last bits
_FACTORIALS = tuple(1.0 / math.factorial(k) for k in range(14))


@inlined
def _exp(x: float) -> float:
    """Return eˣ, −700 ≤ x ≤ 0, to 3e-16: by Taylor, without branches and calls: eight are computed at a time."""
    shifted = x * 1.4426950408889634 + _ROUNDER
    k = shifted - _ROUNDER
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = _FACTORIALS[13]
    p = p * r + _FACTORIALS[12]
    p = p * r + _FACTORIALS[11]
    p = p * r + _FACTORIALS[10]
    p = p * r + _FACTORIALS[9]
    p = p * r + _FACTORIALS[8]
    p = p * r + _FACTORIALS[7]
    p = p * r + _FACTORIALS[6]
    p = p * r + _FACTORIALS[5]
    p = p * r + _FACTORIALS[4]
    p = p * r + _FACTORIALS[3]
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    exponent = (np.float64(shifted).view(np.int64) + np.int64(1023)) << np.int64(52)
    return p * np.int64(exponent).view(np.float64)


@inlined
def correlate(distances: Array, length: float, correlations: Array) -> None:
    """Write the Matérn covariance with ν = 5/2 at ``distances`` r, shape (n,), to ``correlations``.

    (1 + s + s²/3) exp(−s) with s = √5 r/ℓ.
    """
    scale = math.sqrt(5.0) / length
    for i in range(len(distances)):
        s = min(distances[i] * scale, 700.0)
        correlations[i] = (1.0 + s * (1.0 + s * (1.0 / 3.0))) * _exp(-s)


class Data(NamedTuple):
    """The training set of a search."""

    dpotrf: int  # address of LAPACK's factorisation
    distances: Array  # r
    trend: Array  # T
    targets: Array  # y
    limits: Array  # of β, σ_n², s_f², ln ℓ and ln η, each lower and upper, shape (10,)


@inlined_sums
def _distances(inputs: Array, point: Array, distances: Array) -> None:
    """Write the distances of ``inputs``, shape (n, D), to ``point`` to ``distances``."""
    for i in range(len(inputs)):
        total = 0.0
        for d in range(len(point)):
            difference = inputs[i, d] - point[d]
            total += difference * difference
        distances[i] = math.sqrt(total)


@inlined
def _pairwise_distances(inputs: Array) -> Array:
    """Return the distances of ``inputs``, shape (n, D), to each other: element (j, i) for j < i, shape (n, n)."""
    n = len(inputs)
    distances = np.empty((n, n))
    for j in range(n):
        _distances(inputs[j + 1 :], inputs[j], distances[j, j + 1 :])
    return distances


@inlined
def _factorise(dpotrf: int, A: Array) -> int:
    """Replace the matrix by its Cholesky factor; 0 if it has one. Column j of the lower triangle is row j of ``A``."""
    # All arguments in one array, which is read after the call and so outlives it; every byte of the first is "L".
    words = np.array([0x01010101 * ord("L"), len(A), 0], np.int32)
    uplo, n, info = words.ctypes.data, words[1:].ctypes.data, words[2:].ctypes.data
    call_dpotrf(dpotrf, uplo, n, A.ctypes.data, n, info)
    return int(words[2])


@inlined_sums
def _profile(factor: Array, limits: Array, ratio: float) -> tuple[float, float, float]:
    """Return the negative log likelihood, β and s_f² from the factor of the bordered matrix."""
    n = len(factor) - 2
    ones_ones, ones_targets, log_determinant = 0.0, 0.0, 0.0
    for j in range(n):
        ones_ones += factor[j, n] * factor[j, n]
        ones_targets += factor[j, n] * factor[j, n + 1]
        log_determinant += math.log(factor[j, j])
    mean = min(max(ones_targets / ones_ones, limits[0]), limits[1])
    q = 0.0
    for j in range(n):
        residual = factor[j, n + 1] - mean * factor[j, n]
        q += residual * residual
    q = max(q, 1e-300)
    signal = min(max(q / n, limits[2] / ratio), limits[3] / ratio)  # the bounds of σ_n² = η s_f² …
    signal = min(max(signal, limits[4]), limits[5])  # … yield to those of s_f²
    negative_log = 0.5 * n * math.log(2.0 * math.pi * signal) + log_determinant + 0.5 * q / signal
    return negative_log, mean, signal


@inlined
def _evaluate(data: Data, log_length: float, log_ratio: float, factor: Array) -> tuple[float, float, float]:
    """Return the negative log likelihood at (ln ℓ, ln η), inf where A has no factor, with the best β and s_f².

    To ``factor``, shape (n + 2, n + 2), L is written, column j to row j, and L⁻¹1 and L⁻¹y to its last columns.
    """
    n = len(data.targets)
    ratio = math.exp(log_ratio)
    for j in range(n):
        factor[j, j] = 1.0 + ratio
        correlate(data.distances[j, j + 1 :], math.exp(log_length), factor[j, j + 1 : n])
        for i in range(j, len(data.trend)):
            factor[j, i] += data.trend[j, i]
        factor[j, n] = 1.0
        factor[j, n + 1] = data.targets[j]
    # Large enough for the bordered matrix to be positive definite wherever A is.
    factor[n, n] = factor[n + 1, n + 1] = 1e300
    factor[n, n + 1] = 0.0
    if _factorise(data.dpotrf, factor) != 0:
        return math.inf, 0.0, 1.0
    negative_log, mean, signal = _profile(factor, data.limits, ratio)
    if not math.isfinite(negative_log):
        return math.inf, 0.0, 1.0
    return negative_log, mean, signal


@inlined
def _to_box(p: float, q: float, limits: Array) -> tuple[float, float]:
    """Move a point of the search's coordinates into the bounds of ln ℓ and ln η."""
    log_length = min(max(p * _LENGTH_UNIT, limits[6]), limits[7])
    log_ratio = min(max(q * _RATIO_UNIT - _VALLEY * p * _LENGTH_UNIT, limits[8]), limits[9])
    return log_length / _LENGTH_UNIT, (log_ratio + _VALLEY * log_length) / _RATIO_UNIT


@inlined
def _solve(M: Array, b: Array) -> None:
    """Replace ``b`` by M⁻¹b, M positive definite, shape (6, 6); destroys M."""
    n = len(b)
    for j in range(n):
        for k in range(j):
            M[j, j] -= M[j, k] * M[j, k]
        M[j, j] = math.sqrt(max(M[j, j], 1e-14))
        for i in range(j + 1, n):
            for k in range(j):
                M[i, j] -= M[i, k] * M[j, k]
            M[i, j] /= M[j, j]
    for j in range(n):
        for k in range(j):
            b[j] -= M[j, k] * b[k]
        b[j] /= M[j, j]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            b[j] -= M[k, j] * b[k]
        b[j] /= M[j, j]


@inlined
def _fit_quadratic(path: Array, size: int, best: int, M: Array, c: Array, z: Array) -> None:
    """Fit c₁a + c₂b + ½c₃a² + c₄ab + ½c₅b² to evaluations around the best point, by weighted least squares."""
    M[:] = 0.0
    c[:] = 0.0
    M[0, 0] = 1e4  # the best point itself
    M[1, 1] = M[2, 2] = 1e-6  # where there are fewer than five others
    M[3, 3] = M[4, 4] = M[5, 5] = 1e-7
    for k in range(size):
        a, b, worse = path[k, 0] - path[best, 0], path[k, 1] - path[best, 1], path[k, 2] - path[best, 2]
        if k == best or not math.isfinite(worse) or a * a + b * b > _REACH * _REACH:
            continue
        weight = 1.0 / (_SOFTNESS + max(worse, 0.0)) ** 2  # an earlier search may have come further
        z[0], z[1], z[2], z[3], z[4], z[5] = 1.0, a, b, 0.5 * a * a, a * b, 0.5 * b * b
        for i in range(6):
            c[i] += weight * z[i] * worse
            for j in range(i + 1):
                M[i, j] += weight * z[i] * z[j]
    _solve(M, c)


@inlined
def _quadratic(c: Array, a: float, b: float) -> float:
    return float(c[1] * a + c[2] * b + 0.5 * c[3] * a * a + c[4] * a * b + 0.5 * c[5] * b * b)


@inlined
def _metric(c: Array, farthest: float) -> tuple[float, float, float]:
    """Return R, upper triangle by rows, with RᵀR the quadratic's Hessian, made positive definite.

    A step d with ‖Rd‖ = 1 raises the quadratic by ½ and is at most ``farthest`` long.
    """
    least = 1.0 / (farthest * farthest)
    mean, half = 0.5 * (c[3] + c[5]), 0.5 * (c[3] - c[5])
    spread = math.sqrt(half * half + c[4] * c[4])
    # |eigenvalues|, not below the least
    high, low = max(abs(mean + spread), least), max(abs(mean - spread), least)
    cosine, sine = (half / spread, c[4] / spread) if spread > 0.0 else (1.0, 0.0)  # of twice the angle
    center, radius = 0.5 * (high + low), 0.5 * (high - low)
    h11, h12, h22 = center + radius * cosine, radius * sine, center - radius * cosine
    r11 = math.sqrt(h11)
    r12 = h12 / r11
    return r11, r12, math.sqrt(max(h22 - r12 * r12, 0.1 * least))


@inlined
def _descent(c: Array, p: float, q: float, radius: float, limits: Array) -> tuple[float, float, float, float]:
    """Minimise the quadratic around (p, q) where ‖Rd‖ ≤ ``radius``, in the box; return its value, d and ‖Rd‖."""
    r11, r12, r22 = _metric(c, _FLAT_STEP)
    determinant = c[3] * c[5] - c[4] * c[4]
    if c[3] > 0.0 and determinant > 1e-9 * c[3] * c[3]:
        a, b = (c[4] * c[2] - c[5] * c[1]) / determinant, (c[4] * c[1] - c[3] * c[2]) / determinant
        length = math.sqrt((r11 * a + r12 * b) ** 2 + (r22 * b) ** 2)
        if length <= radius:
            inside = _to_box(p + a, q + b, limits)
            if abs(inside[0] - p - a) + abs(inside[1] - q - b) < 1e-9:
                return _quadratic(c, a, b), a, b, length
    lowest, best_a, best_b, best_length = 0.0, 0.0, 0.0, 0.0
    for ring in range(1, 4):
        length = radius * ring / 3.0
        for k in range(32):
            b = length * _SINES[k] / r22
            a = (length * _COSINES[k] - r12 * b) / r11
            inside = _to_box(p + a, q + b, limits)
            a, b = inside[0] - p, inside[1] - q
            value = _quadratic(c, a, b)
            if value < lowest:
                lowest, best_a, best_b, best_length = value, a, b, length
    return lowest, best_a, best_b, best_length


@inlined
def _unexplored(
    path: Array, size: int, best: int, c: Array, limits: Array, tried: int, careful: bool
) -> tuple[bool, float, float]:
    """Return True if a direction lacks an evaluation about a shell above the best point, and the step there."""
    shell = math.sqrt(2.0 * (_CAREFUL_SHELL if careful else _SHELL))
    r11, r12, r22 = _metric(c, (_FLAT_SHELL if tried > 2 else _FIRST_SHELL) / shell)
    p, q = path[best, 0], path[best, 1]
    directions = np.empty((size, 2))  # of the evaluations near the shell
    near = 0
    for k in range(size):
        a, b = path[k, 0] - p, path[k, 1] - q
        x, y = r11 * a + r12 * b, r22 * b
        away = math.sqrt(x * x + y * y)
        if 0.4 * shell <= away <= 2.5 * shell:
            directions[near, 0], directions[near, 1] = x / away, y / away
            near += 1
    least_covered, step_a, step_b = 2.0, 0.0, 0.0
    for t in range(0, 32, 2):
        b = _SINES[t] * shell / r22
        a = (_COSINES[t] * shell - r12 * b) / r11
        inside = _to_box(p + a, q + b, limits)
        a_inside, b_inside = inside[0] - p, inside[1] - q
        if a_inside * a_inside + b_inside * b_inside < 0.25 * (a * a + b * b):
            continue  # nearly all of it is outside
        x, y = r11 * a_inside + r12 * b_inside, r22 * b_inside
        length = math.sqrt(x * x + y * y)
        covered = -1.0
        for k in range(near):
            covered = max(covered, (x * directions[k, 0] + y * directions[k, 1]) / length)
        if covered < least_covered:
            least_covered, step_a, step_b = covered, a_inside, b_inside
    return least_covered < (_CAREFUL_COSINE if careful else _COSINE), step_a, step_b


@inlined
def _next_start(path: Array, starts: int, ends: Indices, searches: int) -> int:
    """Return the most likely start that is not near where a search has started or ended, or −1."""
    chosen = -1
    for k in range(starts):
        if not math.isfinite(path[k, 2]) or (chosen >= 0 and path[k, 2] >= path[chosen, 2]):
            continue
        free = True
        for other in ends[: 2 * searches]:
            a, b = path[k, 0] - path[other, 0], path[k, 1] - path[other, 1]
            free = free and a * a + b * b > _APART * _APART
        if free:
            chosen = k
    return chosen


@inlined
def _weights(factor: Array, mean: float) -> Array:
    """Return α = A⁻¹(y − β), shape (n,)."""
    n = len(factor) - 2
    weights = np.empty(n)
    for j in range(n - 1, -1, -1):
        rest = factor[j, n + 1] - mean * factor[j, n] - _dot(factor[j, j + 1 : n], weights[j + 1 :])
        weights[j] = rest / factor[j, j]
    return weights


@inlined_sums
def _dot(a: Array, b: Array) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@inlined
def _evaluate_at(data: Data, path: Array, k: int, factors: Array, record: Array) -> None:
    """Evaluate the likelihood at ``path[k]``, in the search's coordinates, and note its value there.

    ``record`` holds the index of the best point, its β and s_f², and which of two ``factors`` is its.
    """
    log_length = path[k, 0] * _LENGTH_UNIT
    log_ratio = path[k, 1] * _RATIO_UNIT - _VALLEY * log_length
    spare = 1 - int(record[3])
    path[k, 2], mean, signal = _evaluate(data, log_length, log_ratio, factors[spare])
    if k == 0 or path[k, 2] < path[int(record[0]), 2]:
        record[0], record[1], record[2], record[3] = k, mean, signal, spare


@inlined
def _evaluate_starts(data: Data, starts: Array, path: Array, factors: Array, record: Array) -> int:
    """Evaluate the likelihood at ``starts``, with more noise until one has a factor; return the number of increases."""
    for jitters in range(MOST_JITTERS + 1):
        for k in range(len(starts)):
            log_ratio = min(starts[k, 1] + jitters * math.log(JITTER_FACTOR), data.limits[9])
            p, q = starts[k, 0] / _LENGTH_UNIT, (log_ratio + _VALLEY * starts[k, 0]) / _RATIO_UNIT
            path[k, 0], path[k, 1] = _to_box(p, q, data.limits)
            _evaluate_at(data, path, k, factors, record)
        if math.isfinite(path[int(record[0]), 2]):
            return jitters
    return MOST_JITTERS


@inlined
def _climb(
    data: Data,
    path: Array,
    size: int,
    best: int,
    most: int,
    careful: bool,
    factors: Array,
    record: Array,
) -> tuple[int, int]:
    """Search from ``path[best]`` and append to the path; return its size, and the index where the search ends."""
    M, c, z = np.empty((6, 6)), np.empty(6), np.empty(6)
    radius = _FIRST_RADIUS
    for tried in range(most):
        _fit_quadratic(path, size, best, M, c, z)
        promise, a, b, length = _descent(c, path[best, 0], path[best, 1], radius, data.limits)
        winner = int(record[0])
        if best != winner and tried > 1 and path[best, 2] + 3.0 * promise > path[winner, 2] + _LOSES:
            break
        exploring = promise > -(_CAREFUL_TOLERANCE if careful else _TOLERANCE)
        if exploring:
            gap, a, b = _unexplored(path, size, best, c, data.limits, tried, careful)
            if not gap:
                break
        path[size, 0], path[size, 1] = path[best, 0] + a, path[best, 1] + b
        _evaluate_at(data, path, size, factors, record)
        kept = (path[best, 2] - path[size, 2]) / -promise if math.isfinite(path[size, 2]) else -1.0
        if path[size, 2] < path[best, 2]:
            best = size
        size += 1
        if exploring:
            continue
        if kept > 0.7 and length > 0.9 * radius:
            radius = min(2.0 * radius, _LARGEST_RADIUS)
        elif kept < 0.2:
            radius = 0.5 * min(radius, length)
        if radius < _SMALLEST_RADIUS:
            break
    return size, best


@compiled
def maximise(
    dpotrf: int,
    inputs: Array,
    trend: Array,
    targets: Array,
    limits: Array,
    starts: Array,
    searches: int,
    most: int,
    careful: bool,
) -> tuple[Array, Indices, int, int, float, float, Array, Array]:
    """Maximise the profiled likelihood of y, ``targets``, shape (n,), at whitened ``inputs``, shape (n, D).

    See ``Data`` for the first arguments.

    All ``starts``, (ln ℓ, ln η), shape (s, 2), are evaluated. The first search begins at the most likely one; each
    further search begins at the most likely start that is apart from the starts and ends of earlier searches. Each
    search takes at most ``most`` evaluations. If ``careful``, another one follows, from the best of all.

    Returns:
        All evaluations as (ln ℓ, ln η, negative log likelihood), the starts first; the indices where the searches
        ended; the index of the best; the number of increases of η until a start had a factor; β, s_f², the
        factor and α at the best. The best has an infinite value where no start has a factor.
    """
    n = len(targets)
    data = Data(dpotrf, _pairwise_distances(inputs), trend, targets, limits)
    factors = np.empty((2, n + 2, n + 2))
    path = np.empty((len(starts) + (searches + 1) * most, 3))
    record = np.zeros(4)
    jitters = _evaluate_starts(data, starts, path, factors, record)

    size, done = len(starts), 0
    ends = np.zeros(2 * searches, np.int64)  # where each search begins and ends
    for search in range(searches):
        first = _next_start(path, len(starts), ends, search)
        if first < 0:
            break
        size, last = _climb(data, path, size, first, most, False, factors, record)
        ends[2 * search], ends[2 * search + 1] = first, last
        done += 1
    if careful and math.isfinite(path[int(record[0]), 2]):
        size, _ = _climb(data, path, size, int(record[0]), most, True, factors, record)

    winner, mean, signal, factor = int(record[0]), record[1], record[2], factors[int(record[3])]
    weights = _weights(factor, mean) if math.isfinite(path[winner, 2]) else np.zeros(n)
    for k in range(size):
        path[k, 0] *= _LENGTH_UNIT
        path[k, 1] = path[k, 1] * _RATIO_UNIT - _VALLEY * path[k, 0]
    return path[:size], ends[1 : 2 * done : 2], winner, jitters, mean, signal, factor, weights


@compiled
def posterior_mean(points: Array, inputs: Array, length: float, mean: float, weights: Array) -> Array:
    """Return β + mᵀα at whitened ``points``, shape (λ, D), m their correlations to ``inputs``, shape (n, D)."""
    predicted = np.empty(len(points))
    row = np.empty(len(inputs))
    for i in range(len(points)):
        _distances(inputs, points[i], row)
        correlate(row, length, row)
        predicted[i] = mean + _dot(row, weights)
    return predicted


@compiled
def posterior_mean_and_gradient(
    point: Array, inputs: Array, length: float, mean: float, weights: Array
) -> tuple[float, Array]:
    """Return the posterior mean at a whitened ``point``, shape (D,), and its gradient there, shape (D,).

    Correlations are differentiated by central differences of their distance, so that any covariance function will do.
    """
    n, D = inputs.shape
    distances, row, shifted, slopes = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    _distances(inputs, point, distances)
    correlate(distances, length, row)
    value = mean + _dot(row, weights)
    step = _GRADIENT_STEP * length
    correlate(distances + step, length, slopes)
    for i in range(n):
        shifted[i] = abs(distances[i] - step)  # a correlation is an even function of the distance
    correlate(shifted, length, row)
    gradient = np.zeros(D)
    for i in range(n):
        if distances[i] > 0.0:
            slope = weights[i] * (slopes[i] - row[i]) / (2.0 * step * distances[i])
            for d in range(D):
                gradient[d] += slope * (point[d] - inputs[i, d])
    return value, gradient


@compiled
def correlations(points: Array, inputs: Array, length: float) -> Array:
    """Return the correlations of ``points``, shape (λ, D), to ``inputs``, shape (n, D): shape (λ, n)."""
    result = np.empty((len(points), len(inputs)))
    for i in range(len(points)):
        _distances(inputs, points[i], result[i])
        correlate(result[i], length, result[i])
    return result
