import { SeededRandom } from '../../platform/base/seeded-random.js';

const SAMPLES = 1_000;
const QUANTILE = 0.05;

/**
 * The one-sided 95 % lower bound of the mean, by drawing whole groups with replacement (Efron): queries of one document
 * are not independent. The same seed gives the same bound. Without values it is 0.
 */
export function lowerBound(values: readonly number[], groups: readonly string[], seed: number): number {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const [at, value] of values.entries()) {
    const group = sums.get(groups[at] ?? '') ?? { sum: 0, count: 0 };
    group.sum += value;
    group.count += 1;
    sums.set(groups[at] ?? '', group);
  }
  const list = [...sums.values()];
  if (list.length === 0) return 0;
  const random = new SeededRandom(seed ^ 0x5eed);
  const means = Float64Array.from({ length: SAMPLES }, () => {
    let [sum, count] = [0, 0];
    for (let drawn = 0; drawn < list.length; drawn++) {
      const group = list[random.below(list.length)];
      sum += group?.sum ?? 0;
      count += group?.count ?? 0;
    }
    return sum / count;
  }).sort();
  return means[SAMPLES * QUANTILE] ?? 0;
}
