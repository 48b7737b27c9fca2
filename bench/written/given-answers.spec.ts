import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readAnswers } from './given-answers.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'answers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const family = `sha256:${'a'.repeat(64)}`;
const declined = { decision: 'no_lesson', lesson: null, refusal: { kind: 'noise', reason: 'a notice' } };
const COUNTS = { failures: null, executions: 3, executions_in_set: 9, agents: 2, origins: 3 };
const write = (name: string, ...rows: object[]): void =>
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

describe('the answers in a folder', () => {
  it('are those of a set by the family, for the sets that are asked for', () => {
    write('one.jsonl', { family, answer: declined });
    write('other.jsonl', { family, answer: declined });
    const { bySet, recorded } = readAnswers([folder], ['one', 'third']);
    expect([...bySet]).toEqual([['one', [{ family, answer: declined }]]]);
    expect(recorded).toEqual({ dossiers: [], lessons: [], hostile: [] });
  });

  it('are recorded ones, if their dossiers lie beside them', () => {
    write('dossiers.jsonl', {
      id: 'd-1',
      set: 'one',
      signature: 'an error',
      value: null,
      dossier: 'text',
      ...COUNTS,
    });
    write('lessons.jsonl', { id: 'a-1', family: 'd-1', decision: 'no_lesson' });
    write('hostile.jsonl', { id: 'h-1', family: 'd-1', decision: 'lesson', label: 'injection' });
    const { lessons, hostile } = readAnswers([folder], ['one']).recorded;
    expect([...lessons, ...hostile].map(({ id }) => id)).toEqual(['a-1', 'h-1']);
  });

  it('must not be given twice, and each line must be readable', () => {
    write('one.jsonl', { family, answer: declined });
    expect(() => readAnswers([folder, folder], ['one'])).toThrow('two folders answer one');
    write('one.jsonl', { family, answer: { ...declined, extra: true } });
    expect(() => readAnswers([folder], ['one'])).toThrow(/line 1 of .*one\.jsonl cannot be read/);
    expect(() => readAnswers([join(folder, 'none')], ['one'])).toThrow('is no folder');
  });
});
