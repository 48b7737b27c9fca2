import fc from 'fast-check';
import type { AnalysisPayload } from '../../src/capture/analysis/payload.schema.js';
import type { Obstacle } from '../../src/capture/observations/obstacle.schema.js';

export const PYTHON_OBSTACLE: Obstacle = {
  outcome: 'overcome',
  failureKey: 'python-syntax-error',
  remedyKey: 'python3',
  tool: 'shell',
  action: 'python',
  purpose: 'run:python',
  errorClass: 'SyntaxError',
  stage: 'load',
  failures: 2,
  failed: { tool: 'shell', call: 'python close.py' },
  errorLine: 'SyntaxError: invalid syntax',
  between: [],
  worked: { tool: 'shell', call: 'python3 close.py' },
  attempts: [],
};

/** A failure that nothing overcame, with what was tried. */
export const OPEN_OBSTACLE: Obstacle = {
  outcome: 'open',
  failureKey: 'git-push-rejected',
  remedyKey: null,
  tool: 'shell',
  action: 'git push',
  purpose: 'vcs:git push',
  errorClass: 'exit-1 error',
  stage: 'run',
  failures: 3,
  failed: { tool: 'shell', call: 'git push origin main' },
  errorLine: 'error: failed to push some refs to the remote',
  between: [],
  attempts: [{ tool: 'shell', call: 'git push origin HEAD' }],
};

/** An execution that failed with python and continued with python3. */
export function failurePayload(change: Partial<AnalysisPayload> = {}): AnalysisPayload {
  return {
    kind: 'failure',
    task: { title: 'Close the books of March' },
    environment: [{ name: 'python', value: '2.7.3' }],
    status: 'completed',
    terminationReason: 'end_turn',
    calls: [
      {
        tool: 'shell',
        call: 'python close.py',
        purpose: 'run:python',
        ok: false,
        errorLine: 'SyntaxError: invalid syntax',
      },
      { tool: 'shell', call: 'python3 close.py', purpose: 'run:python', ok: true },
    ],
    omittedCalls: 0,
    obstacles: [PYTHON_OBSTACLE],
    retryCount: 0,
    ...change,
  };
}

/** A verified success of the same work. */
export function successPayload(change: Partial<AnalysisPayload> = {}): AnalysisPayload {
  const committed = { tool: 'shell', call: 'git commit -m "Close March"', purpose: 'vcs:git commit', ok: true };
  const calls = [...failurePayload().calls, committed];
  return failurePayload({ kind: 'success', calls, ...change });
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 1_200 }),
  fc.constantFrom('', ' ', '\u200b', '`', 'x'.repeat(1_000), '\ufdfa'.repeat(300)),
);

const line = (max: number) => text.map((one) => one.trim().slice(0, max).trim() || 'x');

const anyShownCall = fc.oneof(
  fc.record({ tool: fc.constant('shell'), call: line(600) }),
  fc.record({
    tool: fc.constant('shell'),
    call: fc.constantFrom('npm test', 'npm ci', 'cat `x`', 'a --b c', 'cat <folder>/a'),
  }),
  fc.record({
    tool: fc.constantFrom('find_user', 'sql'),
    call: fc.constantFrom('{}', '{"id":"4"}', '{"id":"5","q":"`"}'),
  }),
);

const anyObstacle = fc
  .record(
    {
      outcome: fc.constantFrom('overcome', 'check_skipped', 'passed', 'repeated', 'open'),
      failureKey: fc.constantFrom('a', 'b'),
      remedyKey: fc.option(fc.constantFrom('c', 'd')),
      tool: fc.constantFrom('shell', 'find_user', ''),
      action: fc.constantFrom('python', 'git push', 'cd [word]', '', 'a`b', '\ufdfa'),
      purpose: fc.constantFrom('run:python', 'test:node', 'vcs:git push', 'tool:sql'),
      errorClass: text,
      stage: fc.constantFrom('start', 'load', 'run'),
      failures: fc.nat(5_000),
      failed: anyShownCall,
      errorLine: line(300),
      between: fc.array(anyShownCall, { maxLength: 3 }),
      worked: anyShownCall,
      attempts: fc.array(anyShownCall, { maxLength: 3 }),
      earlierExecutions: fc.nat(9),
    },
    {
      requiredKeys: [
        ...(['outcome', 'failureKey', 'remedyKey', 'tool', 'action', 'purpose', 'errorClass', 'stage'] as const),
        ...(['failures', 'errorLine', 'between', 'attempts'] as const),
      ],
    },
  )
  // The generator's type equals the schema's, key by key.
  .map((obstacle) => obstacle as Obstacle);

/** Any payload that the schema allows, also with texts that are longer than capture permits. */
export const anyPayload: fc.Arbitrary<AnalysisPayload> = fc
  .record(
    {
      kind: fc.constantFrom('failure', 'success'),
      task: fc.record({ title: text, description: text, type: text }, { requiredKeys: ['title'] }),
      status: fc.constantFrom('completed', 'failed', 'aborted'),
      terminationReason: text,
      errorCategory: text,
      errorMessage: text,
      missingCapability: text,
      environment: fc.array(fc.record({ name: line(40), value: line(80) }), { maxLength: 12 }),
      calls: fc.array(
        fc.record(
          {
            tool: fc.constantFrom('shell', 'find_user', 'sql'),
            call: line(600),
            purpose: fc.constantFrom('run:python', 'test:node', 'file:read'),
            ok: fc.boolean(),
          },
          { requiredKeys: ['tool', 'purpose', 'ok'] },
        ),
        { maxLength: 30 },
      ),
      omittedCalls: fc.nat(5_000),
      obstacles: fc.array(anyObstacle, { maxLength: 3 }),
      turnCount: fc.nat(100),
      retryCount: fc.nat(100),
    },
    {
      requiredKeys: [
        'kind',
        'task',
        'environment',
        'status',
        'terminationReason',
        'calls',
        'omittedCalls',
        'obstacles',
        'retryCount',
      ],
    },
  )
  // The generator's type equals the schema's, key by key.
  .map((payload) => payload as AnalysisPayload);
