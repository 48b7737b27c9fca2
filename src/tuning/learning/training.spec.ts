import { describe, expect, it } from '@jest/globals';
import { movedInput, topicInput } from '../../../test/support/training-input.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { LatentModel } from '../../recall/embedding/latent-model.js';
import { QueryMap } from '../../recall/embedding/query-map.js';
import { measureAgain, resumeTraining, startTraining } from './training.js';
import { type Training, type TrainingInput, TrainingMismatch, type TrainingResult } from './training-contract.js';

function finish(training: Training): TrainingResult {
  while (training.step());
  return training.result();
}

/** Runs to the end and keeps a checkpoint of each `every`-th step, and of the first of each stage. */
function checkpointed(input: TrainingInput, every: number) {
  const training = startTraining(input);
  const kept: { stage: string; saved: Uint8Array }[] = [];
  for (let step = 0; training.step(); step++) {
    const { stage } = training.progress;
    if (step % every === 0 || kept.at(-1)?.stage !== stage) kept.push({ stage, saved: training.save() });
  }
  return { result: training.result(), saved: training.save(), kept };
}

const hashed = (result: TrainingResult) => ({ ...result, model: sha256(result.model) });

const inputs: readonly (readonly [string, (queries: number) => TrainingInput, number, number])[] = [
  ['a base', topicInput, 200, 60],
  ['a map of queries', movedInput, 400, 160],
];

describe.each(inputs)('the training of %s', (_, inputOf, queries, every) => {
  const input = inputOf(queries);
  const through = checkpointed(input, every);

  it('gives the same bytes for the same input and seed, and others for another seed', () => {
    expect(hashed(finish(startTraining(inputOf(queries))))).toEqual(hashed(through.result));
    const other = finish(startTraining({ ...input, seed: 2 }));
    expect(hashed(other).model).not.toBe(hashed(through.result).model);
  });

  it('ends in the same bytes if it is killed in any stage and resumed', () => {
    expect(new Set(through.kept.map(({ stage }) => stage))).toEqual(new Set(['split', 'fit', 'choose', 'gate']));
    for (const { saved } of through.kept) {
      const resumed = resumeTraining(input, saved);
      expect(sha256(resumed.save())).toBe(sha256(saved));
      expect(hashed(finish(resumed))).toEqual(hashed(through.result));
      expect(sha256(resumed.save())).toBe(sha256(through.saved));
    }
  });

  it('is deployed if it answers better and harms no document without pairs, and says why', () => {
    const { verdict } = through.result;
    expect(verdict.reasons.map(({ code }) => code)).toEqual(['gain']);
    expect(verdict.deploy).toBe(true);
    expect(verdict.measures.gateLower).toBeGreaterThan(0);
    expect(verdict.measures.gateAfter).toBeGreaterThan(verdict.measures.gateBefore ?? 1);
  });

  it('refuses with 50 pairs', () => {
    const { verdict } = finish(startTraining(inputOf(50)));
    expect(verdict.deploy).toBe(false);
    expect(verdict.reasons.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['too_few_gate_queries', 'too_few_probe_queries']),
    );
  });

  it('ends without labels, and refuses', () => {
    const { verdict } = finish(startTraining({ ...input, queries: [] }));
    expect(verdict.deploy).toBe(false);
  });

  it('ends without documents, and refuses', () => {
    const { verdict } = finish(startTraining({ ...input, documents: [] }));
    expect(verdict.deploy).toBe(false);
  });

  it('does not resume a damaged checkpoint, or one of another input, seed or base', () => {
    const { saved } = through;
    const damaged = saved.map((byte, at) => (at === saved.length >> 1 ? byte ^ 1 : byte));
    const others: [TrainingInput, Uint8Array][] = [
      [input, damaged],
      [input, saved.subarray(0, saved.length - 1)],
      [{ ...input, seed: 2 }, saved],
      [{ ...input, served: { ...input.served, name: 'another/1' } }, saved],
      [{ ...input, queries: input.queries.slice(1) }, saved],
      [{ ...input, documents: input.documents.map((one) => ({ ...one, createdAt: 0 })) }, saved],
      [{ ...input, kind: input.kind === 'base' ? 'adapter' : 'base' }, saved],
    ];
    for (const [other, bytes] of others) expect(() => resumeTraining(other, bytes)).toThrow(TrainingMismatch);
  });

  it('has no result before its last step', () => {
    expect(() => startTraining(input).result()).toThrow('steps left');
  });
});

describe('a deployed result', () => {
  it('is measured again on the gate of its training, with the same gain', () => {
    const input = movedInput(400);
    const result = finish(startTraining(input));
    const again = measureAgain(input, result);
    expect(again.probeGain).toBe(result.verdict.measures.probeGain);
    expect(again.gateGain).toBeGreaterThanOrEqual(result.verdict.measures.gateGain ?? 1);
    const worse = QueryMap.identity(12, 'full');
    worse.delta.fill(-1);
    expect(measureAgain(input, { ...result, model: worse.write() }).gateGain).toBeLessThan(again.gateGain);
  });

  it('is what the next training has to improve upon', () => {
    const input = movedInput(400);
    const { model, weight, minSimilarity, verdict } = finish(startTraining(input));
    const served = { ...input.served, weight, minSimilarity, adapter: model };
    const next = finish(startTraining({ ...input, served })).verdict;
    expect(next.measures.gateBefore).toBe(verdict.measures.gateAfter);
    expect(next.deploy).toBe(false);
    expect(next.reasons.map(({ code }) => code)).toContain('gain_too_small');
  });

  it('of a base is measured again, too', () => {
    const input = topicInput(200);
    const result = finish(startTraining(input));
    expect(measureAgain(input, result).gateGain).toBe(result.verdict.measures.gateGain);
  });
});

describe('private lessons', () => {
  it('lend a base no word that one agent alone has', () => {
    const input = topicInput(50);
    const [first, ...rest] = input.documents;
    if (!first) throw new Error('no document');
    const secret = { ...first, text: `${first.text} onlymine`, ownerId: 'agent-a' };
    const { model } = finish(startTraining({ ...input, documents: [secret, ...rest] }));
    expect(LatentModel.read(model).terms).not.toContain('onlymin');
    const published = { ...secret, ownerId: null };
    const shared = finish(startTraining({ ...input, documents: [published, ...rest] }));
    expect(LatentModel.read(shared.model).terms).toContain('onlymin');
  });

  it('give a map no pairs', () => {
    const input = movedInput(400);
    const documents = input.documents.map((one) => ({ ...one, ownerId: 'agent-a' }));
    const { model, verdict } = finish(startTraining({ ...input, documents }));
    expect(QueryMap.read(model).delta.every((value) => value === 0)).toBe(true);
    expect(verdict.measures.gateQueries).toBe(0);
  });
});
