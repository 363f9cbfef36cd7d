// Distributions of run lengths over some functions, each pair of a function and a target of the same weight.

const runLengths = (D, functions) => {
  const { x, targets, functions: source } = own(data.ecdf, D) ?? {};
  // Targets that are reached at each x, in thousandths; of some instances counted anew, without simulated restarts.
  const reachedBy = (f, name) => {
    const all = instancesOut.size ? own(data.trials.reaching[D][f], name) : undefined; // the reference has no trials
    if (!all) return own(source[f], name);
    const trials = chosenOf(D, f, name, all);
    if (!trials.length) return undefined;
    const found = x.map(() => 0);
    for (const trial of trials) {
      let at = 0;
      for (const step of trial) {
        at += step;
        found[at] += 1000 / trials.length;
      }
    }
    return found;
  };
  const lines = {};
  for (const name of x ? data.algorithms.ecdf : []) {
    const there = functions.filter((f) => source[f] && own(source[f], name));
    const curves = there.map((f) => reachedBy(f, name));
    if (!there.length || curves.includes(undefined)) continue;
    const total = 1000 * there.reduce((sum, f) => sum + targets[f], 0);
    let reached = 0;
    lines[name] = [null, x.map((_, n) => {
      for (const curve of curves) reached += curve[n];
      return reached / total;
    }), null];
  }
  return { x, lines };
};
