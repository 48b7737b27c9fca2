import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  anyPayload,
  failurePayload,
  OPEN_OBSTACLE,
  PYTHON_OBSTACLE,
  successPayload,
} from '../../../test/support/payloads.js';
import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Obstacle } from '../../capture/observations/obstacle.schema.js';
import { executionDossier, LONGEST_EXECUTION_DOSSIER } from './execution-dossier.js';

const shell = (call: string) => ({ tool: 'shell', call });
const about = (obstacle: Partial<Obstacle>, payload: Partial<AnalysisPayload> = {}): string =>
  executionDossier(failurePayload({ obstacles: [{ ...PYTHON_OBSTACLE, ...obstacle }], ...payload }));

describe('the dossier of an execution', () => {
  it('shows where it ran, how it ended, each failure with what overcame it, and its calls', () => {
    const payload = failurePayload({
      turnCount: 12,
      retryCount: 1,
      task: { title: 'Close the books of March', type: 'books' },
      obstacles: [PYTHON_OBSTACLE, OPEN_OBSTACLE],
    });
    expect(executionDossier(payload).split('\n')).toEqual([
      'EXECUTION in which something failed',
      'task: Close the books of March',
      'kind of task: books',
      'environment: python 2.7.3',
      'end: completed, end_turn; 12 turns; 1 retry',
      'FAILURE of python, SyntaxError; 2 times, at stage load; overcome',
      '  failed    python close.py',
      '  error     SyntaxError: invalid syntax',
      '  then      python3 close.py -> worked (run:python)',
      '  worked    python3 close.py',
      'FAILURE of git push, exit-1 error; 3 times, at stage run; nothing overcame it',
      '  failed    git push origin main',
      '  error     error: failed to push some refs to the remote',
      '  tried     git push origin HEAD',
      'CALLS in their order',
      '  python close.py -> failed: SyntaxError: invalid syntax (run:python)',
      '  python3 close.py -> worked (run:python)',
    ]);
  });

  it('shows the calls that prepared the remedy', () => {
    const text = about({ between: [shell('npm ci')], worked: shell('npm test') });
    expect(text).toContain('  first     npm ci\n  worked    npm test');
  });

  it('marks what only skips a check as no remedy', () => {
    const calls = [{ ...shell('git commit --no-verify'), purpose: 'vcs:git commit', ok: true, skipsCheck: true }];
    const text = about({ outcome: 'check_skipped', worked: shell('git commit --no-verify') }, { calls });
    expect(text).toContain('only got past by skipping a check, which is no remedy');
    expect(text).toContain('  skips     git commit --no-verify');
    expect(text).toContain('git commit --no-verify -> worked by skipping a check');
    expect(text).not.toContain('  worked    git commit');
  });

  it('says of a call that cannot be shown, that the harness refused, or that was left out, what is known', () => {
    const calls = [
      { tool: 'Write', purpose: 'file:write', ok: true },
      { ...shell('rm x'), purpose: 'shell:rm', ok: false, ran: false, errorCategory: 'denied' },
    ];
    const text = about({}, { calls, omittedCalls: 7 });
    expect(text).toContain('CALLS in their order, without 7 others');
    expect(text).toContain('a call of Write that cannot be shown -> worked');
    expect(text).toContain('rm x -> did not run: denied');
  });

  it('keeps the line breaks of a call visible, and every field on its line', () => {
    const text = about({ worked: shell('cat <<EOF\n\tx\nEOF') }, { task: { title: 'a\nFAILURE of b' } });
    expect(text).toContain('  worked    cat <<EOF\\n\\tx\\nEOF');
    expect(text).toContain('task: a\\nFAILURE of b');
  });

  it('holds no host, address, e-mail address or home folder', () => {
    const host = ['db', 'acme', 'shop'].join('.');
    const text = about(
      { failed: shell('psql -h db2 -c x'), errorLine: `could not resolve host: ${host}` },
      { task: { title: `ask ann@${host} about /home/ann/books` }, errorMessage: `https://${host}/x?user=ann` },
    );
    for (const secret of ['db2', host, 'ann']) expect(text).not.toContain(secret);
  });

  it('shows the calls of the first failure whole, however long the execution is', () => {
    const long = (n: number): string => `make target-${n} ${'x'.repeat(560)}`;
    const calls = Array.from({ length: 40 }, (_, n) => ({ ...shell(long(n)), purpose: 'build', ok: n % 2 === 0 }));
    const text = about(
      { failed: shell(long(1)), between: [shell(long(2)), shell(long(4))], worked: shell(long(6)) },
      { calls },
    );
    for (const n of [1, 2, 4, 6]) expect(text).toContain(` ${long(n)}\n`);
    expect(text).toMatch(/target-38 x{1,100}\.\.\. -> worked/);
    expect(text.length).toBeLessThanOrEqual(LONGEST_EXECUTION_DOSSIER);
  });

  it('of a success shows all calls before it shows what failed', () => {
    const calls = Array.from({ length: 40 }, (_, n) => ({
      ...shell(`make target-${n} ${'x'.repeat(300)}`),
      purpose: 'build',
      ok: true,
    }));
    const text = executionDossier(successPayload({ calls, obstacles: [PYTHON_OBSTACLE, OPEN_OBSTACLE] }));
    expect(text).toMatch(/^EXECUTION whose success was verified\n/);
    for (let n = 0; n < 40; n += 1) expect(text).toContain(`make target-${n} `);
  });

  it('is at most its longest, visible, without the keys of the failures, and the same every time', () => {
    fc.assert(
      fc.property(anyPayload, (payload) => {
        const text = executionDossier(payload);
        expect(text.length).toBeLessThanOrEqual(LONGEST_EXECUTION_DOSSIER);
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u);
        expect(executionDossier(structuredClone(payload))).toBe(text);
      }),
    );
    expect(executionDossier(failurePayload())).not.toContain(PYTHON_OBSTACLE.failureKey);
  });
});
