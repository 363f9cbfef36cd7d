// Best Δf of single trials, in whole parts of a decade, those on the instances that are chosen.

const valuesOf = (D, budget, f, name) => {
  const { instances, values } = data.functions;
  const of = own(own(own(values[D], budget) ?? {}, f) ?? {}, name) ?? [];
  const at = own(instances[D][f], name) ?? instances[D][f][""];
  return of.filter((_, n) => !instancesOut.has(at[n]));
};

const middleOf = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const [one, other] = [(sorted.length - 1) / 2, sorted.length / 2].map((n) => sorted[Math.floor(n)]);
  return (one + other) / 2;
};

// Median of an algorithm on a function, null where that of some trial is not known.
const medianOf = (D, budget, f, name) => {
  const values = valuesOf(D, budget, f, name);
  return values.length && !values.includes(null) ? middleOf(values) : null;
};

// Ranks of values, 1 the lowest: equal ones share theirs.
const ranksIn = (values) => values.map((value) =>
  1 + values.filter((v) => v < value).length + (values.filter((v) => v === value).length - 1) / 2);

const meansIn = (rows, names) => names.map((_, n) => rows.reduce((sum, row) => sum + row[n], 0) / rows.length);
