import { expect, it } from '@jest/globals';
import type { Case } from './case.js';
import { causeOf } from './case-cause.js';

const caseOf = (executionId: string, error: string): Case => ({
  executionId,
  origin: executionId,
  agentId: executionId,
  party: executionId,
  owner: 'o',
  environment: {},
  failed: { tool: 'shell', call: 'vend run jobs/rollup.ts' },
  error,
  between: [],
  worked: { tool: 'shell', call: 'vend run --allow-net jobs/rollup.ts' },
  changed: ['--allow-net'],
});
const cause = (error: string) =>
  causeOf(
    ['a', 'b', 'c'].map((id) => caseOf(id, error)),
    [],
  );

it('the cause is the flag that the errors name, with its value only if they name that too', () => {
  expect(cause('run again with --allow-net')).toBe('The error names `--allow-net`.');
  expect(cause('run vend with --allow-net jobs/rollup.ts')).toBe('The error names `--allow-net jobs/rollup.ts`.');
  expect(cause('no access to the net')).toBeUndefined();
});
