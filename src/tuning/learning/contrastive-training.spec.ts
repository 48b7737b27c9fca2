import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../platform/base/seeded-random.js';
import { toLengthOne } from '../../recall/embedding/embedder.js';
import type { MapShape } from '../../recall/embedding/query-map.js';
import { ContrastiveTraining, type Pair } from './contrastive-training.js';

const DIMENSIONS = 8;
const random = new SeededRandom(3);
const normals = () => Float32Array.from({ length: DIMENSIONS }, () => random.normal());
const documents = Array.from({ length: 40 }, () => toLengthOne(normals()));
/** The first dimension says nothing about the document. */
const pairs: Pair[] = documents.map((vector, document) => {
  const query = vector.slice();
  query[0] = 1.5;
  return { query: toLengthOne(query), document, relevant: new Set([document]), hardNegatives: [(document + 1) % 40] };
});

const trainingOf = (shape: MapShape, seed = 5) =>
  new ContrastiveTraining(DIMENSIONS, shape, documents, pairs, new SeededRandom(seed));

const lossOver = (training: ContrastiveTraining, steps: number): number => {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum += training.step();
  return sum / steps;
};

describe.each(['full', 'diagonal'] as const)('a %s map that learns', (shape) => {
  it('brings queries nearer to their documents', () => {
    const training = trainingOf(shape);
    const first = lossOver(training, 20);
    lossOver(training, 300);
    expect(lossOver(training, 20)).toBeLessThan(first * 0.8);
    expect(training.steps).toBe(340);
    const nearest = (query: Float32Array) => {
      const scores = documents.map((vector) => vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0));
      return scores.indexOf(Math.max(...scores));
    };
    const right = (mapped: boolean) =>
      pairs.filter(({ query, document }) => nearest(mapped ? training.map.map(query) : query) === document).length;
    expect(right(true)).toBeGreaterThan(right(false));
  });

  it('goes on from its state as if it had not stopped', () => {
    const through = trainingOf(shape);
    const source = new SeededRandom(5);
    const stopped = new ContrastiveTraining(DIMENSIONS, shape, documents, pairs, source);
    lossOver(stopped, 7);
    const state = {
      steps: stopped.steps,
      delta: stopped.map.delta.slice(),
      first: stopped.first.slice(),
      second: stopped.second.slice(),
    };
    const resumed = new ContrastiveTraining(DIMENSIONS, shape, documents, pairs, new SeededRandom(source.state), state);
    lossOver(through, 12);
    lossOver(resumed, 5);
    expect(resumed.map.delta).toEqual(through.map.delta);
    expect(resumed.second).toEqual(through.second);
  });
});

describe('a training without pairs', () => {
  it('is refused', () => {
    const training = new ContrastiveTraining(DIMENSIONS, 'full', documents, [], new SeededRandom(1));
    expect(() => training.step()).toThrow('no pairs');
  });
});
