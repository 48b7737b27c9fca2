import { expect, it } from '@jest/globals';
import { writerRecords } from './writer-records.js';

const row = { writer: 'rules', edited: false, reason: '' };

it('a writer has the shares of what was decided, and its rejections by reason', () => {
  const [rules, model, ...others] = writerRecords([
    { ...row, writer: 'anthropic/m/families-1', state: 'pending', n: 2 },
    { ...row, state: 'approved', n: 2 },
    { ...row, state: 'approved', edited: true, n: 1 },
    { ...row, state: 'pending', edited: true, n: 1 },
    { ...row, state: 'rejected', reason: 'It is wrong. Twice', n: 1 },
    { ...row, state: 'rejected', reason: 'wrong: again', edited: true, n: 1 },
    { ...row, state: 'rejected', reason: 'not for us', n: 1 },
    { ...row, state: 'expired', n: 1 },
    { ...row, state: 'withdrawn', n: 1 },
  ]);
  expect(rules).toEqual({
    writer: 'rules',
    submitted: 9,
    pending: 1,
    approved: 3,
    rejected: 3,
    ended: 2,
    edited: 2,
    shares: { approved: 0.5, edited: 2 / 6, rejected: 0.5 },
    reasons: [
      { reason: 'wrong', n: 2 },
      { reason: 'other', n: 1 },
    ],
  });
  expect(model).toMatchObject({ submitted: 2, shares: null, reasons: [] });
  expect(others).toEqual([]);
});

it('there is no record without proposals', () => {
  expect(writerRecords([])).toEqual([]);
});
