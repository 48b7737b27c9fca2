import { describe, expect, it } from '@jest/globals';
import { topicInput } from '../../../test/support/training-input.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { LatentModel } from '../../recall/embedding/latent-model.js';
import { finish, measureAgain, train } from './training.js';
import type { TrainingInput, TrainingResult } from './training-contract.js';

const trained = (input: TrainingInput): TrainingResult => finish(train(input));
const hashed = (result: TrainingResult) => ({ ...result, model: sha256(result.model) });
const codesOf = ({ verdict }: TrainingResult) => verdict.reasons.map(({ code }) => code);

describe('the training of a base', () => {
  const input = topicInput(200);
  const result = trained(input);

  it('gives the same bytes for the same input and seed, and others for another seed', () => {
    expect(hashed(trained(topicInput(200)))).toEqual(hashed(result));
    expect(hashed(trained({ ...input, seed: 2 })).model).not.toBe(hashed(result).model);
  });

  it('passes its stages in order', () => {
    const stages: string[] = [];
    for (const { stage } of train(input)) if (stages.at(-1) !== stage) stages.push(stage);
    expect(stages).toEqual(['split', 'fit', 'choose', 'gate']);
  });

  it('is deployed if it answers better and harms no newest document, and says why', () => {
    const { verdict } = result;
    expect(codesOf(result)).toEqual(['gain']);
    expect(verdict.deploy).toBe(true);
    expect(verdict.measures['gateLower']).toBeGreaterThan(0);
    expect(verdict.measures['gateAfter']).toBeGreaterThan(verdict.measures['gateBefore'] ?? 1);
  });

  it('refuses with 50 labelled queries', () => {
    const few = trained(topicInput(50));
    expect(few.verdict.deploy).toBe(false);
    expect(codesOf(few)).toEqual(expect.arrayContaining(['too_few_gate_queries', 'too_few_probe_queries']));
  });

  it('ends without labels and without documents, and refuses', () => {
    expect(trained({ ...input, queries: [] }).verdict.deploy).toBe(false);
    expect(trained({ ...input, documents: [] }).verdict.deploy).toBe(false);
  });

  it('learns words from foreign texts, which never judge it', () => {
    const foreign = input.documents.map(({ text }) => ({ text, ownerId: null }));
    const ofForeign = trained({ ...input, documents: input.documents.slice(0, 2), foreign });
    expect(LatentModel.read(ofForeign.model).terms).toEqual(LatentModel.read(result.model).terms);
    expect(ofForeign.verdict.deploy).toBe(false);
    expect(codesOf(ofForeign)).toContain('too_few_gate_queries');
  });
});

describe('a deployed base', () => {
  it('is measured again on the gate of its training, with the same gain', () => {
    const input = topicInput(200);
    const result = trained(input);
    expect(measureAgain(input, result).gateGain).toBe(result.verdict.measures['gateGain']);
    const { model } = trained({ ...input, documents: input.documents.slice(0, 20) });
    expect(measureAgain(input, { ...result, model }).gateGain).toBeLessThan(result.verdict.measures['gateGain'] ?? 0);
  });

  it('is what the next training has to improve upon', () => {
    const input = topicInput(200);
    const { model, name, weight, minSimilarity, verdict } = trained(input);
    const base = LatentModel.read(model);
    const embedded = <T extends { readonly text: string }>(one: T) => ({ ...one, vector: base.embed(one.text) });
    const next = trained({
      ...input,
      documents: input.documents.map(embedded),
      queries: input.queries.map(embedded),
      served: { name, weight, minSimilarity },
    });
    expect(next.verdict.measures['gateBefore']).toBe(verdict.measures['gateAfter']);
    expect(codesOf(next)).toContain('gain_too_small');
  });
});

describe('private lessons', () => {
  it('lend a base no word that one agent alone has', () => {
    const input = topicInput(50);
    const [first, ...rest] = input.documents;
    if (!first) throw new Error('no document');
    const secret = { ...first, text: `${first.text} onlymine`, ownerId: 'agent-a' };
    const { model } = trained({ ...input, documents: [secret, ...rest] });
    expect(LatentModel.read(model).terms).not.toContain('onlymin');
    const published = { ...secret, ownerId: null };
    const shared = trained({ ...input, documents: [published, ...rest] });
    expect(LatentModel.read(shared.model).terms).toContain('onlymin');
  });
});
