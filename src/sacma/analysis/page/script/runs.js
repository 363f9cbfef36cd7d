// Distributions of run lengths over some functions, each pair of a function and a target of the same weight.

const runLengths = (D, functions) => {
  const { x, targets, functions: source } = own(data.ecdf, D) ?? {};
  const lines = {};
  for (const name of x ? data.algorithms.ecdf : []) {
    const there = functions.filter((f) => source[f] && own(source[f], name));
    if (!there.length) continue;
    const total = 1000 * there.reduce((sum, f) => sum + targets[f], 0);
    let reached = 0;
    lines[name] = [null, x.map((_, n) => {
      for (const f of there) reached += source[f][name][n];
      return reached / total;
    }), null];
  }
  return { x, lines };
};
