import { expect, it } from '@jest/globals';
import { fixedAnswer, fixedWriter } from '../../../test/support/fixed-writer.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import { readFromMemory } from '../cases/reading.js';
import { CYCLE_DEFAULTS } from '../cycle/cycle.js';
import { CycleReader } from '../window/cycle-reader.js';
import type { FamilyFindings } from './family-examination.js';
import type { AskedWriter } from './family-writing.js';
import { windowFindings } from './window-examination.js';

const failed = run('python a.py', 'SyntaxError: invalid syntax');
const PYTHON: WorkKind = { of: 8, calls: [failed, failed, run('python3 a.py')] };

function examine(reader: CycleReader, writing?: AskedWriter): { findings: FamilyFindings[]; read: number } {
  let read = 0;
  const findings = readFromMemory(
    windowFindings(reader, reader.index.families(), { ...CYCLE_DEFAULTS, ...(writing ? { writing } : {}) }),
    (id) => {
      read += 1;
      return reader.reportOf(id);
    },
  );
  return { findings, read };
}

it('a family is examined again only if its evidence has changed', () => {
  const reader = new CycleReader();
  const [last, ...others] = observedWork([PYTHON]).reverse();
  for (const one of others) reader.add(one);
  const first = examine(reader);
  expect(first.read).toBe(7);
  const again = examine(reader);
  expect(again.read).toBe(0);
  expect(again.findings.map(({ candidates }) => candidates)).toEqual(
    first.findings.map(({ candidates }) => candidates),
  );
  if (last) reader.add(last);
  expect(examine(reader)).toMatchObject({ read: 8, findings: [{ examined: 8 }] });
});

it('a family is examined again when what a model answered about it has changed', () => {
  const reader = new CycleReader();
  for (const one of observedWork([PYTHON])) reader.add(one);
  const writer = fixedWriter({ when: { error: 'SyntaxError' }, follow: { args: 'python3' } });
  const asked = examine(reader, { writer, answers: new Map() });
  const question = asked.findings[0]?.question;
  if (!question) throw new Error('no question');
  const answers = (hash: string) => new Map([[question.family, fixedAnswer(question, hash)]]);
  const written = (hash: string) => examine(reader, { writer, answers: answers(hash) });
  const byModel = ({ findings }: ReturnType<typeof examine>) =>
    findings.flatMap(({ candidates }) => candidates.flatMap(({ answer }) => answer ?? []));
  const first = written('sha256:1');
  expect([first.read, byModel(first)]).toEqual([8, ['sha256:1']]);
  expect(written('sha256:1').read).toBe(0);
  expect(byModel(written('sha256:2'))).toEqual(['sha256:2']);
});
