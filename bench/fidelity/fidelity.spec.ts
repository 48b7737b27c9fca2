import { describe, expect, it } from '@jest/globals';
import { readSet } from '../sets/set-reader.js';
import { judge } from './judge.js';
import { withCanaries } from './private-values.js';
import { underTest } from './set-under-test.js';

interface Step {
  readonly tool: string;
  readonly args: unknown;
  readonly ok: boolean;
  readonly error?: string;
  readonly obs?: string;
}
const failed = (args: string, error: string): Step => ({ tool: 'Bash', args, ok: false, error });
const worked = (args: string): Step => ({ tool: 'Bash', args, ok: true, obs: 'done' });
const search = (origin: string, error?: string): Step => ({
  tool: 'search_flights',
  args: { origin, seats: 2 },
  ok: error === undefined,
  ...(error === undefined ? { obs: 'two flights' } : { error }),
});

/** Failures and what overcame them, each in one execution of each agent. */
const FAMILIES: Readonly<Record<string, readonly Step[]>> = {
  variable: [failed('npm test', 'Error: no test database is configured'), worked('NODE_ENV=test npm test')],
  upstream: [
    failed('git push', 'fatal: The current branch main has no upstream branch.'),
    worked('git push --set-upstream origin main'),
  ],
  network: [
    failed('docker build .', 'ERROR: failed to solve: the sandbox network has no name server'),
    worked('docker build --network=host .'),
  ],
  version: [failed('nvm use 18', 'N/A: version "v18" is not yet installed.'), worked('nvm use 20')],
  interpreter: [
    failed('python /home/ada/shop/check.py', 'SyntaxError: invalid syntax'),
    worked('python3 /home/ada/shop/check.py'),
  ],
  argument: [search('New York', 'Error: origin must be an airport code'), search('JFK')],
  edit: [
    failed('node build.js', 'ReferenceError: total is not defined'),
    { tool: 'Write', args: { file_path: 'build.js', content: 'const total = 1;' }, ok: true },
    worked('node build.js'),
  ],
};

const rows = Object.entries(FAMILIES).flatMap(([family, steps]) =>
  ['ada', 'ben', 'cleo', 'dora', 'emil'].map((agent) =>
    JSON.stringify({
      id: `${family}-${agent}`,
      agent_id: agent,
      task_id: `${family} of ${agent}`,
      repo: 'acme/shop',
      harness: 'some-agent 1.2',
      steps: [steps[0], ...steps],
    }),
  ),
);

describe('the texts that the product writes about hand-made executions', () => {
  it('recommend only what was seen to work, with its values and without private ones', async () => {
    const set = readSet(rows.join('\n'), 'by hand', withCanaries);
    expect(set.skipped).toEqual([]);
    const tested = underTest(set);
    const { findings, commands, observed } = judge(tested);
    expect(findings).toEqual([]);
    expect(observed).toBe(commands);
    expect(commands).toBeGreaterThan(20);
    const kinds = tested.lessons.map(({ lesson }) => lesson.kind);
    expect(kinds.filter((kind) => kind === 'proposal').length).toBeGreaterThanOrEqual(3);
    expect(kinds.filter((kind) => kind === 'lesson').length).toBeGreaterThanOrEqual(20);
  });
});
