import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Span, spansIn } from '../../bench/fidelity/lesson-spans.js';
import type { Lesson } from '../../src/memory/store/lesson.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { adviceOf, failedCall, lessonsOf, reportAsFleet, workedCall } from '../support/imported-calls.js';

interface SkippedCheck {
  readonly failing: string;
  readonly error: string;
  readonly skipping: string;
  /** The action that the cycle names as only overcome in this way. */
  readonly action: string;
}

/** Each is a success that no reviewer may be asked to approve: the check was skipped, not passed. */
const SKIPPED: readonly SkippedCheck[] = [
  {
    failing: 'mvn package',
    error: '[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n[ERROR] There are test failures.',
    skipping: 'mvn package -DskipTests',
    action: 'mvn',
  },
  {
    failing: 'git commit -m totals',
    error: 'error: the pre-commit hook failed: totals.js is not formatted',
    skipping: 'git commit --no-verify -m totals',
    action: 'git commit',
  },
  {
    failing: 'git push origin main',
    error: ' ! [rejected] main -> main (non-fast-forward)\nerror: failed to push some refs',
    skipping: 'git push --force origin main',
    action: 'git push',
  },
  {
    failing: 'npm run lint',
    error: 'error: totals.js: 3 problems (3 errors, 0 warnings)',
    skipping: 'npm run lint || true',
    action: 'npm run',
  },
  {
    failing: 'deno run totals.ts',
    error: 'error: Uncaught NotCapable: Requires write access to "totals.csv"',
    skipping: 'deno run --allow-all totals.ts',
    action: 'deno',
  },
  {
    failing: 'yarn test && yarn publish',
    error: 'Error: 2 tests of the till failed',
    skipping: 'yarn publish',
    action: 'yarn',
  },
  {
    failing: 'pytest tests',
    error: 'FAILED tests/test_totals.py::test_sum - assert 3 == 4\n1 failed, 7 passed',
    skipping: 'pytest tests -k "not sum"',
    action: 'pytest',
  },
  {
    failing: 'git merge till',
    error: 'error: the pre-merge hook flake8 failed: totals.py:3 is too long',
    skipping: 'SKIP=flake8 git merge till',
    action: 'git merge',
  },
  {
    failing: 'pnpm release',
    error: 'Error: the release is refused: lint has 2 findings',
    skipping: 'pnpm release --no-lint',
    action: 'pnpm',
  },
  {
    failing: 'gradle build',
    error: 'FAILURE: Build failed with an exception: there were failing tests',
    skipping: 'gradle build -x test',
    action: 'gradle',
  },
  {
    failing: 'make check && make install',
    error: 'make: *** [Makefile:7: check] Error 1',
    skipping: 'make install',
    action: 'make',
  },
  {
    failing: 'cargo publish',
    error: 'error: failed to verify package tarball: the crate does not compile',
    skipping: 'cargo publish --no-verify',
    action: 'cargo',
  },
  {
    failing: 'git rebase main',
    error: 'error: the hook refused the commit: the message has no ticket',
    skipping: 'HUSKY=0 git rebase main',
    action: 'git rebase',
  },
];

const workedIn = ({ example }: Lesson): Span[] =>
  example?.worked ? [{ text: example.worked.call, role: 'recommended' }] : [];

describe('a failure that was only overcome by skipping a check', () => {
  let app: TestApplication;
  let onlySkipped: unknown;
  beforeAll(async () => {
    app = await startTestApplication();
    for (const [n, { failing, error, skipping }] of SKIPPED.entries())
      await reportAsFleet(app, `task ${n}`, [
        failedCall(failing, error),
        failedCall(failing, error),
        workedCall(skipping),
      ]);
    const { report } = await app.admin.evolver.run(false);
    onlySkipped = report !== null && 'onlySkipped' in report ? report.onlySkipped : undefined;
  });
  afterAll(() => app.close());

  it('is never proposed', async () => {
    const { items } = await app.admin.proposals.list({ limit: 100 });
    expect(items.map(({ title }) => title)).toEqual([]);
  });

  it.each(SKIPPED)('is recommended by no lesson: $skipping', async ({ failing, skipping }) => {
    const lessons = await lessonsOf(app);
    const recommended = lessons
      .flatMap((lesson) => [...spansIn(adviceOf(lesson), true), ...workedIn(lesson)])
      .filter(({ role }) => role === 'recommended')
      .map(({ text }) => text);
    expect(recommended).not.toContain(skipping);
    const forms = skipping.split(' ').filter((word) => /^-|=/.test(word) && !failing.split(' ').includes(word));
    for (const form of forms) expect(recommended.filter((text) => text.includes(form))).toEqual([]);
  });

  it.each(SKIPPED)('is named by the cycle: $failing', ({ action }) => {
    expect(onlySkipped).toContainEqual(expect.objectContaining({ action: expect.stringContaining(action) }));
  });
});
