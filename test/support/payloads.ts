import fc from 'fast-check';
import type { AnalysisPayload, Obstacle } from '../../src/capture/analysis/payload.schema.js';

export const PYTHON_OBSTACLE: Obstacle = {
  action: 'python [file:.py]',
  errorClass: 'SyntaxError',
  error: 'SyntaxError: invalid syntax',
  failures: 2,
  remedy: 'python3 [file:.py]',
  how: 'replace',
  tool: 'Bash',
  tried: 1,
  worked: 1,
};

/** An execution that failed with python and continued with python3. */
export function failurePayload(change: Partial<AnalysisPayload> = {}): AnalysisPayload {
  return {
    kind: 'failure',
    task: { title: 'Close the books of March' },
    status: 'completed',
    terminationReason: 'end_turn',
    calls: [
      { name: 'Bash', action: 'python close.py', ok: false, errorMessage: 'SyntaxError: invalid syntax' },
      { name: 'Bash', action: 'python3 close.py', ok: true },
    ],
    omittedCalls: 0,
    obstacles: [PYTHON_OBSTACLE],
    retryCount: 0,
    ...change,
  };
}

/** A verified success of the same work. */
export function successPayload(change: Partial<AnalysisPayload> = {}): AnalysisPayload {
  return failurePayload({ kind: 'success', ...change });
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 1_200 }),
  fc.constantFrom('', ' ', '\u200b', '`', 'x'.repeat(1_000), '\ufdfa'.repeat(300)),
);

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
      calls: fc.array(
        fc.record(
          { name: text, action: text, ok: fc.boolean(), errorCategory: text, errorMessage: text },
          { requiredKeys: ['name', 'action', 'ok'] },
        ),
        { maxLength: 30 },
      ),
      omittedCalls: fc.nat(5_000),
      obstacles: fc.array(
        fc.record({
          action: text,
          errorClass: text,
          error: text,
          failures: fc.nat(5_000),
          remedy: fc.option(text),
          how: fc.option(fc.constantFrom('replace', 'omit', 'prepare', 'relocate')),
          tool: text,
          tried: fc.nat(20),
          worked: fc.nat(20),
        }),
        { maxLength: 3 },
      ),
      turnCount: fc.nat(100),
      retryCount: fc.nat(100),
    },
    {
      requiredKeys: ['kind', 'task', 'status', 'terminationReason', 'calls', 'omittedCalls', 'obstacles', 'retryCount'],
    },
  )
  // The generator's type equals the schema's, key by key.
  .map((payload) => payload as AnalysisPayload);
