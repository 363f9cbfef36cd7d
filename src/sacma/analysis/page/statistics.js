// Ranks over functions, and tests of whether they differ, as those of sacma.analysis.statistics.

const ALPHA = 0.05;
const FEWEST = 6; // functions: of fewer nothing is tested
const EXHAUSTIVE = 9; // algorithms at most, with Bergmann's and Hommel's correction
const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => sum(values) / values.length;

// Ranks of numbers, 1 the lowest, average ranks on ties.
const ranked = (values) => {
  const found = new Array(values.length);
  const order = values.map((_, n) => n).sort((a, b) => values[a] - values[b]);
  for (let first = 0; first < order.length;) {
    let last = first;
    while (last + 1 < order.length && values[order[last + 1]] - values[order[first]] < 1e-9) last += 1;
    for (let n = first; n <= last; n += 1) found[order[n]] = (first + last) / 2 + 1;
    first = last + 1;
  }
  return found;
};

const logGamma = (x) => {
  if (x < 7) return logGamma(x + 1) - Math.log(x);
  const z = 1 / (x * x);
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z / 1680))) / x;
};
// Regularized incomplete beta function, by Lentz's continued fraction.
const beta = (x, a, b) => {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
  const nonzero = (value) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let [c, d] = [1, 1 / nonzero(1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  for (let m = 1; m < 500; m += 1) {
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / nonzero(1 + term * d);
      c = nonzero(1 + term / c);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-14) break;
  }
  return (Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) * fraction) / a;
};
// Two-sided p-value of a normal z: erfc by its series, or by its continued fraction.
const twoSided = (z) => {
  const x = Math.abs(z) / Math.SQRT2;
  if (x < 2) {
    let [term, total] = [x, x];
    for (let n = 1; n < 100; n += 1) total += (term *= (-x * x) / n) / (2 * n + 1);
    return 1 - (2 / Math.sqrt(Math.PI)) * total;
  }
  let fraction = 0;
  for (let n = 80; n > 0; n -= 1) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
};

// Iman's and Davenport's p-value, of mean ranks over N problems.
const imanDavenport = (ranks, N) => {
  const k = ranks.length;
  const chi2 = ((12 * N) / (k * (k + 1))) * sum(ranks.map((rank) => (rank - (k + 1) / 2) ** 2));
  const largest = N * (k - 1);
  if (largest - chi2 <= 1e-12 * largest) { // all problems rank alike
    const ties = Object.values(Object.groupBy(ranks, (rank) => rank)).map((of) => of.length);
    return Math.exp((1 - N) * (logGamma(k + 1) - sum(ties.map((t) => logGamma(t + 1)))));
  }
  const F = ((N - 1) * chi2) / (largest - chi2);
  const [d1, d2] = [k - 1, (k - 1) * (N - 1)];
  return beta(d2 / (d2 + d1 * F), d2 / 2, d1 / 2);
};

// p-values of pairs, adjusted as by Bergmann and Hommel, or of more algorithms as by Shaffer.
const adjusted = (raw, k) => {
  const pairs = [];
  for (let i = 0; i < k; i += 1) for (let j = i + 1; j < k; j += 1) pairs.push([i, j]);
  const p = pairs.map(([i, j]) => raw[i][j]);
  let found = new Array(p.length).fill(0);
  if (k <= EXHAUSTIVE) {
    const block = [0];
    const visit = (n, blocks) => {
      if (n < k) {
        for (block[n] = 0; block[n] <= blocks; block[n] += 1) visit(n + 1, Math.max(blocks, block[n] + 1));
        return;
      }
      const within = pairs.map((_, m) => m).filter((m) => block[pairs[m][0]] === block[pairs[m][1]]);
      const of = within.length * Math.min(...within.map((m) => p[m]));
      for (const m of within) found[m] = Math.max(found[m], of);
    };
    visit(1, 1);
  } else {
    const numbers = [new Set([0]), new Set([0])]; // of hypotheses that can be true together
    for (let n = 2; n <= k; n += 1) {
      numbers[n] = new Set();
      for (let j = 1; j <= n; j += 1) for (const s of numbers[n - j]) numbers[n].add((j * (j - 1)) / 2 + s);
    }
    const attainable = [...numbers[k]].sort((a, b) => b - a);
    let largest = 0;
    p.map((_, m) => m).sort((a, b) => p[a] - p[b]).forEach((m, n) => {
      largest = Math.max(largest, attainable.find((t) => t <= p.length - n) * p[m]);
      found[m] = largest;
    });
  }
  const table = raw.map(() => new Array(k).fill(1));
  pairs.forEach(([i, j], m) => { table[i][j] = table[j][i] = Math.min(1, found[m]); });
  return table;
};

// Mean ranks from ranks (problems × algorithms), from the lowest on, their intervals, and which pairs differ.
const compared = (table, names) => {
  const [N, k] = [table.length, names.length];
  const rows = table.map(ranked); // a mean over dimensions is no rank yet
  const means = names.map((_, j) => mean(rows.map((row) => row[j])));
  const step = Math.sqrt((k * (k + 1)) / (6 * N));
  const tested = N >= FEWEST && k > 1;
  const p = tested ? adjusted(means.map((a) => means.map((b) => twoSided((a - b) / step))), k) : null;
  return { names, means, p, N, tested, differ: tested && imanDavenport(means, N) < ALPHA };
};

// 95 % bootstrap intervals of means of columns, over rows.
const RESAMPLES = 2000;
const intervals = (table) => {
  let state = 1; // the same numbers each time
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  if (table.length < 2) return table[0].map(() => [undefined, undefined]);
  const means = table[0].map(() => new Float64Array(RESAMPLES));
  for (let n = 0; n < RESAMPLES; n += 1) {
    const drawn = table.map(() => table[Math.floor(random() * table.length)]);
    means.forEach((of, j) => { for (const row of drawn) of[n] += row[j] / table.length; });
  }
  return means.map((of) => of.sort()).map((of) => [of[Math.round(0.025 * RESAMPLES)], of[Math.round(0.975 * RESAMPLES) - 1]]);
};

// Positions of the first and last of each group of neighbours, ordered by rank, of which no two differ.
const groupsAlike = (order, p, differ) => {
  if (!p) return [];
  if (!differ) return [[0, order.length - 1]];
  const groups = [];
  let reached = 0;
  order.forEach((_, first) => {
    let last = first;
    const alike = (next) => order.slice(first, next).every((name) => p[name][order[next]] >= ALPHA);
    while (last + 1 < order.length && alike(last + 1)) last += 1;
    if (last > Math.max(first, reached)) {
      groups.push([first, last]);
      reached = last;
    }
  });
  return groups;
};
