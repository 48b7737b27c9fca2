import { expect, it } from '@jest/globals';
import { ReportedReader, readFromMemory } from '../../../test/support/cycles.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import type { FamilyFindings } from './family-examination.js';
import { windowFindings } from './window-examination.js';

const failed = run('python a.py', 'SyntaxError: invalid syntax');
const PYTHON: WorkKind = { of: 8, calls: [failed, failed, run('python3 a.py')] };

function examine(reader: ReportedReader): { findings: FamilyFindings[]; read: number } {
  let read = 0;
  const findings = readFromMemory(windowFindings(reader, reader.index.families(), {}), (id) => {
    read += 1;
    return reader.reportOf(id);
  });
  return { findings, read };
}

it('a family is examined again only if its evidence has changed', () => {
  const reader = new ReportedReader();
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
