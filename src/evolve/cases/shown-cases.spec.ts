import { expect, it } from '@jest/globals';
import type { Case } from './case.js';
import { shownCases } from './shown-cases.js';

const shell = (call: string) => ({ tool: 'shell', call });
const caseOf = (executionId: string, failed: string, worked: string): Case => ({
  executionId,
  origin: executionId,
  agentId: executionId,
  party: executionId,
  owner: 'o',
  environment: {},
  failed: shell(failed),
  error: 'vend: no such stock',
  between: [],
  worked: shell(worked),
  changed: [],
});

it('the example shows the words of the remedy, also if another case is shorter', () => {
  const [short, long] = [caseOf('a', 'vend pull', 'cd ..'), caseOf('b', 'vend pull', 'cd ./stock && vend pull')];
  expect(shownCases([short, long], '', ['cd', './stock'])?.calls.worked[0]).toEqual(shell('cd ./stock && vend pull'));
  expect(shownCases([short, long])?.calls.worked[0]).toEqual(shell('cd ..'));
});

it('what the lesson says is readable in its example, also if only one project holds it', () => {
  const step = shell('pg_ctl -D .pgdata -l pg.log start');
  const one = { ...caseOf('a', 'npm test', 'npm test'), between: [step] };
  const masked = shell('pg_ctl -D <value> -l <file>.log <value>');
  expect(shownCases([one], '', step.call.split(' '))?.example).toMatchObject({ between: [step] });
  expect(shownCases([one])?.example).toMatchObject({ between: [masked] });
});

it('an example that cannot show one of its steps gives way to another case', () => {
  const [hidden, step] = [shell(`make ${'x'.repeat(5_000)}`), shell('make stock')];
  const other = { ...caseOf('b', 'vend pull --all', 'vend pull --all'), between: [step] };
  const best = { ...caseOf('a', 'vend pull', 'vend pull'), between: [hidden, step] };
  expect(shownCases([best, other])?.example).toMatchObject({ failed: shell('vend pull --all'), between: [step] });
  expect(shownCases([best])?.example).toBeUndefined();
});

it('the example is the case with the fewest calls in between, also if its lines are longer', () => {
  const [step, other] = [shell('make stock'), shell('git fetch origin')];
  const wide = { ...caseOf('a', 'vend pull', 'vend pull'), between: [other, step] };
  const plain = { ...caseOf('b', 'vend pull --quiet', 'vend pull --quiet'), between: [step] };
  expect(shownCases([wide, plain])?.example).toMatchObject({ between: [step] });
});

it('the key words of a statement are shown as they are', () => {
  const sql = (query: string) => ({ tool: 'sql', call: JSON.stringify({ query }) });
  const [failed, worked] = [sql('SELECT COUNT(*) FROM clerks'), sql('SELECT COUNT(*) FROM clerk')];
  const one = (executionId: string): Case => ({ ...caseOf(executionId, '', ''), failed, worked });
  expect(shownCases([one('a'), one('b')])?.example).toMatchObject({ failed, worked });
  const other = sql('SELECT COUNT(*) FROM clerk WHERE name IS NULL');
  expect(shownCases([{ ...one('a'), worked: other }])?.example).toMatchObject({
    failed: sql('SELECT COUNT(*) FROM <value>'),
    worked: sql('SELECT COUNT(*) FROM <value> WHERE <value> IS NULL'),
  });
});
