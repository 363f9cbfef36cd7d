# ruff: noqa: BLE001, C901, E501, PLC0415, PLR0915, T201 a long table, and a process that reports whatever happens
"""Mutants of the rules of Algorithms 1 to 3, and whether the tests of strategy and surrogate kill them.

python tests/mutants.py CHECKOUT            # all of them, one at a time, in a copy of the checkout
python tests/mutants.py CHECKOUT --check    # only whether each old text is there, once
python tests/mutants.py CHECKOUT --only restarts/ --whole

Each mutant is (file below src/sacma, old text, new text, the rule that it breaks). A text that is not found, or found
twice, is an error at once. Tests that are named like the file run first, then all of tests/strategy and tests/surrogate
(and tests/algorithms with --whole); the first failure kills. A copy that fails without a mutant is an error too.
"""

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

S, G = "strategy/", "surrogate/"
GC, AG, DT = S + "control/generation_control.py", S + "control/adaptive_generations.py", S + "control/doubly_trained.py"
SC, PO, TR, RS = S + "surrogate_cmaes.py", S + "population.py", S + "training.py", S + "restarts.py"
AP = S + "control/approximate_ranking.py"
WS, CO = G + "models/warm_start.py", G + "models/competition.py"
LE, QP, WP, DE = (G + f"{name}.py" for name in ("levels", "quadratic_process", "warped_process", "density"))
MO = S + "proposals/model_optimum.py"
NO = "optimize/noise.py"
TG, IN, QU = S + "starts/trust_region.py", G + "interpolation.py", G + "quadratic.py"
TS, AR, CU = G + "training_set.py", G + "archive.py", S + "cma_update.py"
KL, RD, KE = S + "errors/kullback_leibler.py", S + "errors/ranking_difference.py", S + "errors/kendall.py"
LA, CF, CM = S + "lagrangian.py", S + "proposals/constrained_optimum.py", G + "combined.py"
SA, CB, GP = S + "shares/adaptive.py", S + "control/base.py", G + "models/gaussian_process.py"

MUTANTS: list[tuple[str, str, str, str]] = [
    # Algorithm 1
    (
        GC,
        "if self._models_left and self._last.model is not None:",
        "if self._last.model is not None:",
        "step 2: g_m generations, no more",
    ),
    (GC, "self._models_left -= 1  # steps 10 and 11", "self._models_left -= 2", "steps 10, 11: g counts one by one"),
    (
        GC,
        "self._models_left = decision.model_generations if trained is not None else 0",
        "self._models_left = decision.model_generations",
        "step 7: no model, no model generations (with the last one kept)",
    ),
    (
        GC,
        "self._models_left = decision.model_generations if trained",
        "self._models_left = decision.model_generations + 1 if trained",
        "step 7: exactly g_m",
    ),
    (
        GC,
        "            if not can_rank(predicted):\n                self._models_left = 0\n                return None\n",
        "",
        "a population that predictions cannot rank is discarded",
    ),
    (
        GC,
        "                self._models_left = 0\n                return None\n",
        "                return None\n",
        "and f evaluates the next",
    ),
    (
        GC,
        "            if self._raised_by:\n",
        "            if not self._raised_by:\n",
        "step 9: predictions are raised where the setting says so",
    ),
    (
        GC,
        "earlier, self.model = self.model, trained\n        return earlier",
        "earlier, self.model = self.model, trained\n        return trained",
        "the earlier model is judged, not the new one",
    ),
    (
        GC,
        "earlier, self.model = self.model, trained",
        "earlier, self.model = self.model, trained or self.model",
        "a training that fails leaves no model",
    ),
    (
        GC,
        "        self._last.model = None\n",
        "        pass\n",
        "a restart forgets the model",
    ),
    (
        CB,
        "shift = best_value - float(predicted.min())",
        "shift = best_value - float(predicted.mean())",
        "raised so that the least is the best true value",
    ),
    (
        CB,
        "return predicted + factor * shift if shift > 0.0 else predicted",
        "return np.maximum(predicted, best_value)",
        "all raised by the same",
    ),
    (
        CB,
        "return predicted + factor * shift if shift > 0.0 else predicted",
        "return predicted + shift",
        "never lowered",
    ),
    (
        SC,
        "                    run.tell(values)  # CMA-ES's own update\n",
        "                    if self._population.begun:\n                        run.tell(values)\n",
        "CMA-ES is updated by model generations too",
    ),
    (
        SC,
        "elif start.keeps is Keeps.ARCHIVE_AND_ERROR:\n            self._control.forget_run()",
        "elif start.keeps is Keeps.ARCHIVE_AND_ERROR:\n            self._control = s.control.build(self._context)",
        "the smoothed error survives a restart",
    ),
    (
        SC,
        "                self._trainer.forget()\n",
        "                pass\n",
        "a restart starts the search for hyperparameters anew",
    ),
    (
        SC,
        "elif start.keeps is Keeps.ARCHIVE_AND_ERROR:\n            self._control.forget_run()",
        "elif start.keeps is Keeps.ARCHIVE_AND_ERROR:\n            self._archive = Archive(self._context.dimension)\n            self._control.forget_run()",
        "the archive survives a restart",
    ),
    (
        SC,
        "if start.keeps is Keeps.NOTHING or not self._runs:",
        "if not self._runs:",
        "a start afresh forgets everything",
    ),
    (
        SC,
        "        self._archive.add(learned[finite], values[finite])\n",
        "",
        "proposals and initial points are archived",
    ),
    (
        SC,
        "        self._archive.add_failed(learned[~finite & ~late])\n",
        "",
        "proposals may be in a region of failures",
    ),
    (
        PO,
        "            self._archive.add_failed(self._run.learned[told[~finite]])\n",
        "",
        "points of a population may be in a region of failures",
    ),
    (AR, "np.all(nearest < len(self._failed))", "np.any(nearest < len(self._failed))", "all of the nearest failed"),
    (AR, "(known - point) / np.where(deviations > 0.0, deviations, 1.0)", "known - point", "coordinates are scaled"),
    (AR, "recent = self.values[-RECENT * len(point) :]", "recent = self.values", "the largest of recent values"),
    (AR, "np.delete(self.points, sorted(self._ranked), axis=0)", "self.points", "failed points have no value"),
    (SC, "            run.inject(points[~late])\n", "", "proposals join the next population"),
    (SC, "and self.true_evaluations < last:", ":", "evaluations beside those of the search shorten it"),
    (SC, "len(self._archive) > 2 * self._context.dimension", "len(self._archive)", "few known points leave the search"),
    (
        SC,
        "if x in self._archive else np.nan for x in learned",
        "if False else np.nan for x in learned",
        "known values count",
    ),
    (
        SC,
        "                self._population.recall(proposed)\n",
        "",
        "proposals have their values in the next population",
    ),
    (PO, "<= SAME", "<= 1e6 * SAME", "points are equal but for rounding"),
    (
        DT,
        "                worth[~np.isnan(population.values)] = -np.inf\n",
        "",
        "points with a value are not evaluated",
    ),
    (
        PO,
        "        self._archive.add(self._run.learned[told[finite]], outcomes[finite])\n",
        "        pass\n",
        "step 4: true values are archived",
    ),
    (
        PO,
        "        self._archive.add(self._run.learned[told[finite]], outcomes[finite])\n",
        "        self._archive.add(self._run.learned[told], outcomes)\n",
        "what is not finite is not archived",
    ),
    (PO, "min(np.nextafter(worst, np.inf), sys.float_info.max)", "worst", "a failed value is above all known ones"),
    (
        PO,
        "predicted = model(self._run.learned)",
        "predicted = model(self._run.sampled)[::-1]",
        "the judged model predicts the population in its order",
    ),
    (PO, "return self.size // 2", "return (self.size + 1) // 2", "μ = ⌊λ/2⌋ of DTS"),
    (TR, "required=s.n_req_factor * D +", "required=s.n_req_factor +", "step 5: n_req = factor × D"),
    (TR, "largest=s.n_max_factor * D,", "largest=s.n_max_factor,", "step 5: n_max = factor × D"),
    (
        TR,
        "        if status is not FitStatus.TRAINED:\n            return Training(status, size=len(training_set))\n",
        "",
        "a rejected model is none",
    ),
    (TR, "        self._model.keep(fitted, whitening)\n", "", "step 6: the next search starts at the last optimum"),
    (
        S + "acceptance.py",
        "highest - lowest > 4.0 * sys.float_info.epsilon * max(abs(lowest), abs(highest))",
        "highest - lowest >= 0.0",
        "constant predictions are of no use",
    ),
    (TS, "if len(indices) < required:", "if len(indices) <= required:", "n_req points suffice"),
    (TS, "<= radius**2", "<= radius", "within the Mahalanobis distance r"),
    (TS, "if len(indices) > largest:", "if len(indices) > 2 * largest:", "n_max points at most"),
    (
        G + "selections/recent.py",
        "np.arange(len(whitened) - size, len(whitened))",
        "np.arange(size)",
        "the newest candidates",
    ),
    (G + "selections/nearest.py", "np.sort(order[:size])", "np.sort(order[-size:])", "the nearest candidates"),
    (
        G + "selections/kmeans.py",
        "np.unique(vq(centroids, whitened, check_finite=False)[0])",
        "np.arange(size)",
        "the candidates nearest to the centroids",
    ),
    (AR, "            if key in self._known:\n", "            if False:\n", "a set holds a point once"),
    (
        AR,
        "        elif self._counts is not None:\n",
        "        elif False:\n",
        "where f is noisy, it has the mean of a point's values",
    ),
    (AR, "self._counts[place] += 1", "self._counts[place] = 2", "of all of them"),
    # Functions with noise
    (
        NO,
        "SHARE = 5",
        "SHARE = 4",
        "a fifth is for the end",
    ),
    (
        NO,
        "if len(told) == len(self._search.asked) and self._left > 0:",
        "if len(told) == len(self._search.asked):",
        "the last population is not told",
    ),
    (NO, "np.argsort(first)[-MOST_FITTED:]", "np.argsort(first)[:most]", "all points are candidates"),
    (NO, "scores = process.predict(inputs)", "scores = means", "by the model, not by their values"),
    (
        NO,
        "        self._kept = evaluations - evaluations // 2",
        "        self._kept = 0",
        "half is for the last candidate",
    ),
    (NO, "[: (count + 1) // 2]", "[: count - 1]", "the better half goes on"),
    (NO, "since = values[best][self._chosen_by :]", "since = values[best][:]", "values that chose it are left out"),
    (NO, "return len(values) - len(finite), mean", "return 0, mean", "fewer failures come before a lower mean"),
    (NO, "np.std(given, ddof=1)", "np.std(given)", "the sample standard deviation"),
    (
        G + "whitening.py",
        "(centred - self.mean) @ self.to_white.T",
        "(centred - self.mean) @ self.to_white",
        "z = W (x − m)",
    ),
    (
        S + "cma_es.py",
        "axes = (es.sm.B / es.sm.D).T / (es.sigma * es.sigma_vec.scaling)",
        "axes = (es.sm.B / es.sm.D).T",
        "by σ²C, not C",
    ),
    # Restarts
    (RS, "% (s.max_restarts + 1)", "% (s.max_restarts + 2)", "max_restarts restarts"),
    (
        RS,
        "Start(s.population_factor**place)",
        "Start(s.population_factor * place or 1.0)",
        "λ grows by the factor at each restart",
    ),
    (
        RS,
        'and s.after_last_restart == "stop"',
        'and s.after_last_restart != "stop"',
        "the end after the last restart, where that is asked for",
    ),
    # Algorithm 2
    (
        KE,
        "(1.0 - kendall_tau(population.values, population.predicted)) / 2.0",
        "(1.0 + kendall_tau(population.values, population.predicted)) / 2.0",
        "ε = (1 − τ)/2",
    ),
    (KE, "(len(a) * (len(a) - 1))", "(len(a) * len(a))", "τ is of pairs"),
    (
        RD,
        "ranking_difference(population.predicted, population.values, population.parents)",
        "ranking_difference(population.values, population.predicted, population.parents)",
        "RDE is summed over the μ best by the model",
    ),
    (RD, "[r_a <= parents]", "[r_a < parents]", "over μ points"),
    (
        RD,
        "exchanged = max(0, (3 * parents - population_size + 2) // 4)",
        "exchanged = 0",
        "divided by the largest difference",
    ),
    (
        KL,
        "divergence = kullback_leibler(by_model, by_truth, self._exponent)",
        "divergence = kullback_leibler(by_truth, by_model, self._exponent)",
        "D_KL(model ‖ truth)",
    ),
    (KL, "self.largest = max(self.largest, divergence)", "self.largest = divergence", "in units of the largest so far"),
    (KL, "exponent: float = 2.0) -> None", "exponent: float = 1.0) -> None", "of covariances σ²C"),
    (CU, "np.sqrt(k.cc * (2 - k.cc) * k.mueff)", "np.sqrt(k.cc * (2 - k.cc))", "the what-if update is CMA-ES's: p_c"),
    (
        CU,
        "growth = k.cs / k.ds * (np.linalg.norm(ps) / k.chi - 1)",
        "growth = k.cs / k.ds * (np.linalg.norm(state.ps) / k.chi - 1)",
        "and σ by the new p_σ",
    ),
    (CU, "steps = (points[np.argsort(values)] - state.mean)", "steps = (points - state.mean)", "and points are ranked"),
    (
        AG,
        "if any(np.min(a) == np.max(a) for a in (judged.values, judged.predicted)):",
        "if False:",
        "constant values have no error",
    ),
    # Algorithm 3
    (
        AG,
        "return (1.0 - rate) * self._smoothed + rate * error",
        "return rate * self._smoothed + (1.0 - rate) * error",
        "step 1: r_u weighs the newest error",
    ),
    (
        AG,
        "        if math.isnan(self._smoothed):\n            return error\n",
        "        if math.isnan(self._smoothed):\n            return self._settings.update_rate * error\n",
        "the first error is taken as it is",
    ),
    (
        AG,
        "if not self._judged or math.isnan(self._smoothed):",
        "if math.isnan(self._smoothed):",
        "g_m = 1 for the first model (with an initial error)",
    ),
    (
        AG,
        "return Decision(model_generations=1)",
        "return Decision(self._settings.max_model_generations)",
        "g_m = 1 for the first model",
    ),
    (
        AG,
        "min(smoothed, self.error_threshold) / self.error_threshold",
        "min(smoothed, self.error_threshold)",
        "steps 2, 3: ε_s truncated at ε_T and divided by it",
    ),
    (AG, "TRANSFERS[self.transfer](1.0 - truncated", "TRANSFERS[self.transfer](truncated", "step 4: γ(1 − ε_s/ε_T)"),
    (AG, "return math.floor(x + 0.5)", "return math.floor(x)", "step 4: rounded to the nearest"),
    (
        AG,
        "self._judged |= judged is not None",
        "self._judged = judged is not None",
        "an error that was seen stays seen (with the last model lost)",
    ),
    (
        S + "transfer.py",
        "return centered * (1.0 + 1.0 / k) / (abs(2.0 * centered) + 1.0 / k) + 0.5",
        "return centered * (1.0 + 1.0 / k) / (abs(centered) + 1.0 / k) + 0.5",
        "T₂",
    ),
    (S + "transfer.py", '"T1": lambda x, _: T1(x)', '"T1": T2', "T₁ is the identity"),
    # Approximate ranking
    (
        AP,
        "if change <= self._settings.largest_change",
        "if change <= 2.0 * self._settings.largest_change",
        "until the ranking is stable",
    ),
    (AP, "population.size - len(left) >= least", "True", "a least number where first rankings are wrong"),
    (AP, "if wrong else 0", "", "and only there"),
    (AP, "return math.floor(self", "return math.ceil(self", "rounded down"),
    (AP, "rank_change(predicted, values, told)", "rank_change(predicted, values)", "ranks of the points told"),
    (AP, "if first is None and can_rank(values)", "if can_rank(values)", "of the first ranking"),
    (AP, "MEMORY = 20", "MEMORY = 10", "the last twenty or so"),
    (AP, "np.where(np.isnan(population.values), worth, -np.inf)", "worth", "of the points without a value"),
    (AP, "growth * (population.size - len(left))", "growth * len(left)", "batches grow with what is evaluated"),
    (AP, "3.0 * size / (size**2 - 1)", "3.0 / size", "in units of that of random rankings"),
    (
        AP,
        "                ranked = values\n",
        "                ranked = values if ranked is None else ranked\n",
        "since the last batch",
    ),
    (AP, "model = population.train()", "model = population.model or population.train()", "with the new values"),
    (AP, " and population.standing < self._best:", ":", "the model alone: after a successful proposal"),
    (AP, "            self._left -= 1\n", "", "the model alone: so many generations, no more"),
    (AP, "if trainings == SOON and change", "if change", "the model alone: where one training had sufficed"),
    (AP, "and change <= TRUSTED else", "else", "the model alone: where the ranking hardly changed"),
    (
        AP,
        "self._trusted, self._left = None, 0",
        "self._left = 0",
        "the model alone: only after the generation of that model",
    ),
    (
        AP,
        'last model."""\n        self._trusted = None',
        'last model."""',
        "the model does not outlive its run",
    ),
    (
        AP,
        "            if can_rank(predicted):\n                return predicted",
        "            return predicted",
        "predictions that cannot rank",
    ),
    # DTS-CMA-ES
    (DT, "math.ceil(share * population_size - 1e-9)", "math.floor(share * population_size)", "⌈α λ⌉ points"),
    (DT, "min(population_size, max(1, ", "min(population_size, max(0, ", "at least one point"),
    (
        DT,
        "second = population.train()",
        "second = population.model",
        "a second model is trained",
    ),
    (
        CB,
        "no_better_than(population.best_value, predicted) if raises else predicted",
        "predicted",
        "raised where the setting says so",
    ),
    (
        DT,
        "            if not can_rank(values):\n                yield from population.evaluate(population.unevaluated)\n                values = population.values\n",
        "",
        "f evaluates the rest where there is no second model",
    ),
    (
        S + "criteria/base.py",
        "np.lexsort((-posterior.variance, -worth))",
        "np.lexsort((-posterior.variance, worth))",
        "points of the largest worth",
    ),
    (
        S + "criteria/improvement.py",
        "(best - posterior.mean) / spread",
        "(posterior.mean - best) / spread",
        "probability to be below the best",
    ),
    (
        S + "expected_ranking.py",
        "step = 1.0 if steeper > 0.0 else -1.0",
        "step = -1.0 if steeper > 0.0 else 1.0",
        "ERDE: who overtakes whom",
    ),
    (
        SA,
        "(1.0 - s.error_update_rate) * self.smoothed_error + s.error_update_rate * error",
        "s.error_update_rate * self.smoothed_error + (1.0 - s.error_update_rate) * error",
        "β weighs the newest error",
    ),
    (
        SA,
        "gain = min(max((self.smoothed_error - lowest) / (highest - lowest), 0.0), 1.0)",
        "gain = 1.0 - min(max((self.smoothed_error - lowest) / (highest - lowest), 0.0), 1.0)",
        "α grows with the error",
    ),
    (
        SA,
        "error = ranking_difference(values, predicted, len(values) // 2)",
        "error = ranking_difference(predicted, values, len(values) // 2)",
        "RDE_μ of the first model, by the final values",
    ),
    # Model
    (WS, "self._last.stretched(whitening.log_scale) if", "self._last if", "ℓ follows the whitening"),
    (
        GP,
        "(self.noise_std_start / self.signal_std_start) ** 2",
        "self.noise_std_start / self.signal_std_start",
        "η = (σ_n/s_f)²",
    ),
    (LE, "        if better:\n", "        if True:\n", "the most likely level"),
    (LE, "search.log_likelihood + constant > highest", "search.log_likelihood > highest", "densities of the values"),
    (LE, "direction = -direction\n    if best", "pass\n    if best", "the other side next, where this one was worse"),
    (
        LE,
        "level = warm.direction, min(warm.level, last)",
        "level = warm.direction, warm.level",
        "no more levels than there are",
    ),
    (
        QP,
        "0.5 + 0.5 * _product(points[i], others[j]) / norm",
        "0.5 + _product(points[i], others[j]) / norm",
        "(1 + zᵀz′/q)/2",
    ),
    (QP, "norm = float(np.mean(np.sum(inputs**2, axis=1)))", "norm = 1.0", "q is the mean squared norm"),
    (QP, "points, length) + self._trend(points, points)", "points, length)", "the posterior covariance of both parts"),
    (WP, "np.sum(warp.log_slopes(training.values)) - len", "-len", "likelihood: the change of the values"),
    (WP, "+ self.warp.log_slopes(values)", "", "density: the change of the values"),
    (
        WP,
        "np.maximum(above, 0.0) / self.c), above / self.c",
        "np.maximum(above, 0.0) / self.c), above",
        "tangent below y_min",
    ),
    (WP, "ordered - least)", "ordered)", "c in units of y − y_min"),
    (DE, "posterior.noise + LEAST", "LEAST", "density: of observed values"),
    (DE, "- np.log(posterior.scale)", "", "density: in the units of the values"),
    # The search before the first run
    (TG, "return 0.5 * length", "return 2.0 * length", "after a bad step the region shrinks"),
    (TG, "if not better:\n        worth[best] = -1.0", "if not better:\n        pass", "the best point stays"),
    (TG, "2.0 * np.max(values[finite])", "0.0", "a failure is no best value"),
    (
        TG,
        "values = self.values - self.values[self.best]",
        "values = self.values.copy()",
        "values are of the best point",
    ),
    (IN, "found.hessian + hessian", "found.hessian", "the Hessian of before is changed, not replaced"),
    (QU, "free[place] = False", "free[:] = False", "other coordinates go on where one is at its bound"),
    (
        SC,
        "if s.start is None or misled or self._runs > 1",
        "if s.start is None or self._runs > 1",
        "no search where f is noisy",
    ),
    (SC, "start.step * s.start.step_share", "start.step", "CMA-ES begins with a share of σ₀"),
    (CO, "training.indices >= self._seen", "training.indices >= 0", "only values that no model has seen"),
    (
        CO,
        "self._whitening(whitening.inverse(training.inputs[new]))",
        "training.inputs[new]",
        "where the fits of that time saw them",
    ),
    (
        CO,
        "foreseen.max(axis=0) - foreseen, LARGEST_LOSS",
        "-foreseen, LARGEST_LOSS",
        "relative to the best of each value",
    ),
    (CO, "self._update_rate * (-loss - self._scores)", "-self._update_rate * loss", "old losses are forgotten"),
    (
        CO,
        "            if not isinstance(fit, FitStatus):\n                member.keep",
        "            if fit is fitted:\n                member.keep",
        "losers keep their fits, too",
    ),
    (CO, "        self._fits, self._whitening = [], None", "        pass", "fits do not outlive a run"),
    (
        CO,
        "not whitening.same_as(self._whitening)",
        "True",
        "the losers keep their fits while the distribution is the same",
    ),
    (
        CO,
        "            if not isinstance(self._fits[k], FitStatus):\n                return\n",
        "            return\n",
        "where the leader has no fit, the next is trained",
    ),
    (S + "criteria/own_rank.py", "ndtr(-gaps)", "ndtr(gaps)", "probability that a point passes another"),
    (
        S + "criteria/own_rank.py",
        "posterior.variance + posterior.noise",
        "posterior.variance",
        "of its value, with noise",
    ),
    (AP, "if quick and population.begun and", "if quick and", "f evaluates a point of each quick population"),
    (AP, "self._settings.quick_factor * population.dimension", "self._settings.quick_factor", "a factor of D"),
    (
        S + "criteria/own_rank.py",
        "(size / len(others))",
        "1.0",
        "those of a sample stand for all others",
    ),
    (MO, " or float(np.linalg.norm(slope(start)[1]))", "", "the unit of f changes nothing where m is the best point"),
    (MO, "self._due - 1.0 if len(proposed) else 1.0", "self._due - 1.0", "nothing is due for what was not proposed"),
    (
        MO,
        "float(min(standings) < best_before)",
        "float(min(standings) <= best_before)",
        "success: better than all before",
    ),
    (
        MO,
        "1.0 if self._success >= OFTEN else max(self._success, SELDOM)",
        "1.0 if self._success >= OFTEN else self._success",
        "never less than one in ten",
    ),
    (
        SC,
        "self._archive.standings_of(outcomes[~late]), best_before)",
        "self._archive.standings_of(outcomes[~late]), self._archive.standing)",
        "success is judged by what was known before",
    ),
    (
        G + "gaussian_process.py",
        "remaining = compiled.correlations(points, points, length) - solved.T @ solved",
        "remaining = compiled.correlations(points, points, length)",
        "the posterior covariance",
    ),
    (
        G + "gaussian_process.py",
        "return np.asarray(self.center + self.scale * standardised)",
        "return np.asarray(self.scale * standardised)",
        "predictions in the objective's units",
    ),
    # BIPOP
    (RS, "self._used[True] <= self._used[False] and", "not self._large and", "BIPOP: evaluations take turns, not runs"),
    (
        RS,
        "self._used[self._large] += last.evaluations",
        "self._used[self._large] += 1",
        "BIPOP: evaluations count, not runs",
    ),
    (
        RS,
        "(0.5 * s.population_factor**self._large_runs) ** (u**2)",
        "(0.5 * s.population_factor**self._large_runs) ** u",
        "BIPOP: mostly small populations",
    ),
    (RS, "step=s.smallest_step**v", "step=s.smallest_step", "BIPOP: small steps of any size"),
    (
        SC,
        "self.true_evaluations - before, value_at_mean",
        "self.true_evaluations, value_at_mean",
        "evaluations of one run",
    ),
    (S + "cma_es.py", "self.sigma0 * start.step", "self.sigma0", "the step size of a run"),
    (MO, "self._success >= OFTEN else", "self._success >= 0.0 else", "proposals follow their success"),
    # The published code
    (
        S + "control/as_run.py",
        "return None if trained is None else super().replace(trained)",
        "return super().replace(trained)",
        "as run: the last model outlives a failed training",
    ),
    (
        S + "control/as_run.py",
        "clipped = min(max(smoothed, self.error_floor), self.error_threshold)",
        "clipped = min(smoothed, self.error_threshold)",
        "as run: g_m^max below the floor",
    ),
    (S + "as_run/restarts.py", "initial_point=last.sampling.initial_point, ", "", "as run: from the same point"),
    (
        S + "as_run/acceptance.py",
        "min(1e-8, 0.05 * float(np.ptp(values)))",
        "max(1e-8, 0.05 * float(np.ptp(values)))",
        "as run: predictions span little",
    ),
    # Constraints
    (LA, "np.abs(constraints), constraints)", "constraints, constraints)", "an equality is violated on both sides"),
    (LA, "amounts <= np.where(equal, tolerance, 0.0)", "amounts <= tolerance", "inequalities have no tolerance"),
    (LA, "np.max(amounts, axis=1", "np.sum(amounts, axis=1", "the largest violation"),
    (LA, "-self.multipliers / self.penalties, 0.0)", "0.0, 0.0)", "an inequality counts down to −λ/μ"),
    (LA, "0.5 * counted**2 @ self.penalties", "counted**2 @ self.penalties", "half of μ g²"),
    (LA, "np.maximum(slopes, 0.0))", "slopes)", "an inequality that does not count has no slope"),
    (LA, "al.lam[:] = self._foreseen", "pass", "multipliers that models foresee take the place of updates"),
    (LA, "np.fmax(al.mu, ", "np.fmin(al.mu, ", "penalties are at least so steep"),
    (LA, "np.abs(al.lam) /", "al.lam /", "a multiplier of an equality may be negative"),
    (LA, "            self.logging = 0\n", "            super()._init_()\n", "no files of pycma"),
    (
        LA,
        "            al.update(latest[-1, 0], latest[-1, 1:])",
        "            al.update(latest[0, 0], latest[0, 1:])",
        "updates by where the distribution is",
    ),
    (SC, "            self._archive.measure()\n", "            pass\n", "the archive is measured again"),
    (
        SC,
        "if self._merit.update(recent, centre):",
        "if not self._merit.update(recent, centre):",
        "whenever coefficients change",
    ),
    (SC, "return value if violation == 0.0 else math.inf", "return value", "the best value is a feasible one"),
    (
        AR,
        "np.lexsort((self.outcomes[:, 0], self._merit.violations(self.outcomes)))",
        "np.lexsort((self._merit.violations(self.outcomes), self.outcomes[:, 0]))",
        "the best point: the violation first",
    ),
    (
        TR,
        "values=archive.outcomes[training_set.indices]",
        "values=archive.outcomes[: len(training_set)]",
        "outcomes of the training points",
    ),
    (CM, "self.merit.slopes(outcomes)[0] @", "np.ones(len(self.parts)) @", "the chain rule"),
    (
        CM,
        "posterior.scale * np.exp(-log_slopes(predicted))",
        "posterior.scale * np.exp(log_slopes(predicted))",
        "deviations in units of the outcomes",
    ),
    (
        CM,
        "np.outer(factor, factor) if joint else factor**2",
        "np.outer(factor, factor) if joint else factor",
        "variances by the squares of slopes",
    ),
    (CM, "if fit is FitStatus.CONSTANT_VALUES:", "if isinstance(fit, FitStatus):", "a model without a fit is none"),
    (CF, "np.where(self._equal, 0.0, margin)", "np.where(self._equal, margin, margin)", "no margin for equalities"),
    (CF, "problem.demand(fit.deviations(point[None])[0, 1:])", "pass", "a margin of a standard deviation"),
    (
        CF,
        "multipliers * self._units[0] / self._units[1:]",
        "multipliers / self._units[1:]",
        "multipliers in units of f and g",
    ),
    (
        CF,
        "(found, True) if self._keeps(found) else (near, False)",
        "(found, True)",
        "the least violation where none is feasible",
    ),
    (CF, "start, [*self._inside, *self._constraints()])", "start, self._constraints())", "proposals within the box"),
    (
        CF,
        "np.where(self._equal[active], -np.inf, 0.0)",
        "np.where(self._equal[active], -np.inf, -np.inf)",
        "multipliers of inequalities are at least 0",
    ),
    (CF, "< NEAR**2:", "< 0.0:", "no known point is proposed"),
]


def first_tests(tests: Path, file: str) -> list[str]:
    """Tests whose names have the module's in them."""
    stem = Path(file).stem
    package = Path(file).parent.name
    names = {stem, package} - {"strategy", "surrogate", "base"}
    return sorted(str(path) for path in tests.rglob("test_*.py") if any(name in path.stem for name in names))


def run_tests(root: Path, paths: list[str]) -> int:
    """Run tests in a copy of this process; return pytest's exit code."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.chdir(root)
        log = os.open(root / "last.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.path[:0] = [str(root / "src"), str(root)]
        os.environ["PYTHONPATH"] = f"{root / 'src'}{os.pathsep}{root}"
        code = 70
        try:
            import pytest

            code = int(
                pytest.main(
                    [
                        "-x",
                        "-q",
                        "-p",
                        "no:cacheprovider",
                        "-p",
                        "no:xdist",
                        "-W",
                        "ignore::pytest.PytestAssertRewriteWarning",
                        "--tb=line",
                        *paths,
                    ]
                )
            )
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--check", action="store_true", help="only look for the texts")
    parser.add_argument("--only", default="", help="mutants whose file or rule has this in it")
    parser.add_argument("--whole", action="store_true", help="tests/algorithms as well")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if options.only in m[0] or options.only in m[3]]
    wrong = 0
    for file, old, _, rule in chosen:
        path = options.checkout / "src" / "sacma" / file
        found = path.read_text().count(old) if path.exists() else 0
        if found != 1:
            wrong += 1
            print(f"STALE: {file}: {found} times there: {old!r} ({rule})")
    if wrong:
        sys.exit(f"{wrong} mutants are of another state of the sources")
    print(f"{len(chosen)} mutants, each text is there once", flush=True)
    if options.check:
        return
    # Warm what tests import, but nothing of sacma.
    for name in (
        "numpy",
        "scipy.optimize",
        "scipy.stats",
        "pandas",
        "numba",
        "cma",
        "cocoex",
        "pydantic",
        "joblib",
        "sklearn",
        "yaml",
    ):
        with contextlib.suppress(ImportError):
            __import__(name)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root = Path(folder) / "copy"
        shutil.copytree(
            options.checkout,
            root,
            symlinks=True,
            ignore=shutil.ignore_patterns(".git", ".venv", "*.pyc", "results", ".hypothesis"),
        )
        tests = root / "tests"
        everything = [str(tests / "strategy"), str(tests / "surrogate"), *[str(tests / "algorithms")] * options.whole]
        if not options.only:
            code = run_tests(root, everything)
            if code:
                sys.exit(f"tests fail without a mutant (pytest: {code}):\n{(root / 'last.log').read_text()[-3000:]}")
            print("without a mutant all tests pass", flush=True)
        survived = []
        for number, (file, old, new, rule) in enumerate(chosen, 1):
            path = root / "src" / "sacma" / file
            text = path.read_text()
            start = time.monotonic()
            path.write_text(text.replace(old, new))
            try:
                first = first_tests(tests, file)
                code = run_tests(root, first) if first else 0
                if code in {0, 5}:
                    code = run_tests(root, everything)
            finally:
                path.write_text(text)
            log = (root / "last.log").read_text()
            by = next(
                (
                    line.split(" - ")[0].removeprefix("FAILED ")
                    for line in log.splitlines()
                    if line.startswith(("FAILED", "ERROR"))
                ),
                f"exit code {code}",
            )
            if code not in {0, 1, 2, 5}:
                sys.exit(f"pytest ended with {code}:\n{log[-3000:]}")
            killed = code not in {0, 5}
            survived += [] if killed else [f"{file}: {rule}"]
            print(
                f"{number:3d} {'killed  ' if killed else 'SURVIVED'} {time.monotonic() - start:5.0f} s  {file}: {rule}{'  <- ' + by if killed else ''}",
                flush=True,
            )
        print(f"{len(chosen) - len(survived)} of {len(chosen)} killed")
        for each in survived:
            print("survived:", each)
        sys.exit(bool(survived))


if __name__ == "__main__":
    main()
