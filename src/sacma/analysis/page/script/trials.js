const INFINITE = 1e12; // for Δf before the first evaluation

// What the page has of trials are levels of Δf, each but the first less the one before it, and the number of each trial's
// level. They become Δf in parts of a decade, infinite ones behind all; those that differ by less than a part still do.
const trialsUnpacked = (values) => {
  for (const of of Object.values(values).flatMap(Object.values).flatMap(Object.values)) {
    let sum = 0;
    const levels = of[""].map((step, n) => {
      sum += step;
      return sum + n * 1e-6;
    });
    delete of[""];
    for (const name of Object.keys(of)) {
      of[name] = of[name].map((number) => (number === null ? null : levels[number] ?? INFINITE));
    }
  }
};

// What is of an algorithm's trials on a function, those on the instances that are chosen.
const chosenOf = (D, f, name, trials) => {
  const of = data.trials.instances[D][f];
  const at = own(of, name) ?? of[""];
  return trials.filter((_, n) => !instancesOut.has(at[n]));
};

// Best Δf of single trials, in parts of a decade.
const valuesOf = (D, budget, f, name) =>
  chosenOf(D, f, name, own(own(own(data.trials.values[D], budget) ?? {}, f) ?? {}, name) ?? []);

const middleOf = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const [one, other] = [(sorted.length - 1) / 2, sorted.length / 2].map((n) => sorted[Math.floor(n)]);
  return (one + other) / 2;
};

// Median of an algorithm on a function, null where that of some trial is not known; that of infinite ones is infinite.
const medianOf = (D, budget, f, name) => {
  const values = valuesOf(D, budget, f, name);
  if (!values.length || values.includes(null)) return null;
  const middle = middleOf(values);
  return middle < INFINITE / 4 ? middle : INFINITE;
};

// Ranks of values, 1 the lowest: equal ones share theirs.
const ranksIn = (values) => values.map((value) =>
  1 + values.filter((v) => v < value).length + (values.filter((v) => v === value).length - 1) / 2);

// Whether an algorithm is not chosen; a line that only refers, as that of the best of 2009, is none.
const someUnchosen = () => {
  const known = data.trials?.algorithms ?? Object.values(data.summary.ranks).flatMap(Object.values).flatMap(Object.keys);
  return known.some((name) => unchosen.has(name));
};
const allChosen = () => !someUnchosen() && !leftOut.size && !instancesOut.size;

// Ranks of some algorithms on the chosen functions that all of them have, a row a function: from the ranks of all, or from
// trials where instances or algorithms are left out.
const ranksOn = (D, budget, names) => {
  const everybody = Object.keys(data.summary.ranks[D][budget]);
  if (data.trials && (instancesOut.size || names.length < everybody.length)) {
    return Object.keys(data.trials.values[D][budget]).filter((f) => !leftOut.has(Number(f)))
      .map((f) => names.map((name) => medianOf(D, budget, f, name)))
      .filter((row) => !row.includes(null)).map(ranksIn);
  }
  const [places, of] = data.summary.functions[D][budget];
  return places.flatMap((f, n) => (leftOut.has(f) ? [] : [ranksIn(names.map((name) => of[name][n]))]));
};

// As Python writes a number: one that is halfway between two is rounded to the even one.
const fixed = (value, digits) => {
  const halves = value * 2 ** (digits + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0) return value.toFixed(digits);
  const units = Math.floor(Math.abs(value) * 10 ** digits);
  return (Math.sign(value) * (units + (units % 2)) / 10 ** digits).toFixed(digits);
};

const meansIn = (rows, names) => names.map((_, n) => rows.reduce((sum, row) => sum + row[n], 0) / rows.length);
