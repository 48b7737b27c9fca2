import { SeededRandom as UniformAndNormal } from '../src/platform/base/seeded-random.js';

/** Random numbers of more distributions, the same for the same seed on every machine. For simulations, never for secrets. */
export class SeededRandom extends UniformAndNormal {
  /** Beta, for positive parameters. */
  beta(a: number, b: number): number {
    const x = this.#gamma(a);
    return x / (x + this.#gamma(b));
  }

  /** Poisson, by Knuth's product; for means up to some hundreds. */
  poisson(mean: number): number {
    const floor = Math.exp(-mean);
    let count = 0;
    for (let product = this.uniform(); product > floor; product *= this.uniform()) count += 1;
    return count;
  }

  binomial(trials: number, probability: number): number {
    let successes = 0;
    for (let trial = 0; trial < trials; trial += 1) if (this.uniform() < probability) successes += 1;
    return successes;
  }

  /** Gamma of scale 1, by Marsaglia and Tsang (2000), with their boost for shapes below 1. */
  #gamma(shape: number): number {
    if (shape < 1) return this.#gamma(shape + 1) * this.uniform() ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - this.uniform()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
    }
  }
}
