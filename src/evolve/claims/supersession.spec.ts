import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareClaims } from '../../../test/support/claims.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { type Claim, type ClaimComparison, isSubsumedBy, parseClaim } from './supersession.js';

function claim(condition: string, action: string, more: Partial<Claim> = {}): Claim {
  return { condition, action, confidence: 0.8, ...more };
}

/**
 * [description, candidate condition, candidate action, existing condition, existing action, result]; the candidate has
 * the higher confidence.
 */
type Row = readonly [string, string, string, string, string, ClaimComparison];

const HEALTH = 'When the service does not answer its health check';
const TIMEOUT = 'When a database query times out';
const GOLDEN: readonly Row[] = [
  // The four errors that were measured on the reference system.
  ['negated action', HEALTH, 'Do not restart the service', HEALTH, 'Do restart the service', 'CONFLICT'],
  [
    'paraphrase',
    'When the service fails its health check',
    'Reboot the server',
    'When the daemon fails its health check',
    'Restart the service',
    'FULL',
  ],
  [
    'broader condition, opposite action',
    'When a deployment fails or times out in staging, production or preview',
    'Never roll back the release',
    'When a deployment fails',
    'Roll back the release',
    'CONFLICT',
  ],
  ['Chinese, negated', '数据库连接失败时', '不要重启数据库', '数据库连接失败时', '重启数据库', 'CONFLICT'],
  ['Chinese, the same', '数据库连接失败时', '请重启数据库服务', '当数据库连接失败', '重启数据库服务', 'FULL'],
  [
    'Japanese, negated',
    'データベース接続が失敗したとき',
    'データベースを再起動しないでください',
    'データベース接続が失敗したとき',
    'データベースを再起動してください',
    'CONFLICT',
  ],
  [
    'Japanese, the same',
    'データベース接続が失敗したとき',
    'データベースを再起動する',
    'データベース接続が失敗した場合',
    'データベースを再起動してください',
    'FULL',
  ],
  // Remedies: the common words of the sentences around them do not count.
  [
    'another program in its place',
    HEALTH,
    'Use pypy instead of python',
    HEALTH,
    'Use python3 instead of python',
    'CONFLICT',
  ],
  [
    'another flag',
    HEALTH,
    'Run `site build --fresh` instead of `site build`, with the same arguments.',
    HEALTH,
    'Run `site build --offline` instead of `site build`, with the same arguments.',
    'CONFLICT',
  ],
  [
    'another preparation',
    HEALTH,
    'Do `npm install` first for what the error names, then `node` again.',
    HEALTH,
    'Do `npm rebuild` first for what the error names, then `node` again.',
    'CONFLICT',
  ],
  // Negation.
  ['contraction', TIMEOUT, "Don't retry the query", TIMEOUT, 'Retry the query', 'CONFLICT'],
  ['never', TIMEOUT, 'Never retry the query', TIMEOUT, 'Always retry the query', 'CONFLICT'],
  ['avoid', TIMEOUT, 'Avoid repeating the query', TIMEOUT, 'Repeat the query', 'CONFLICT'],
  [
    'two negations cancel',
    'Before a migration',
    'Never migrate without a backup',
    'Before a migration',
    'Migrate with a backup',
    'FULL',
  ],
  ['both negated', TIMEOUT, 'Do not retry the query', TIMEOUT, 'Never retry a query', 'FULL'],
  [
    'rejected aside',
    'When running a script',
    'Use python3, not python',
    'When running a script',
    'Run it with python3',
    'FULL',
  ],
  [
    'instead of, swapped',
    'When running a script',
    'Use python instead of python3',
    'When running a script',
    'Use python3 instead of python',
    'CONFLICT',
  ],
  [
    'German',
    'Wenn der Build scheitert',
    'Den Cache nicht leeren',
    'Wenn der Build scheitert',
    'Den Cache leeren',
    'CONFLICT',
  ],
  ['French', 'Si le build casse', 'Ne jamais vider le cache', 'Si le build casse', 'Vider le cache', 'CONFLICT'],
  ['Spanish', 'Si falla la prueba', 'No borrar la base', 'Si falla la prueba', 'Borrar la base', 'CONFLICT'],
  ['Russian', 'Если сборка падает', 'Не очищать кэш', 'Если сборка падает', 'Очищать кэш', 'CONFLICT'],
  ['Korean', '빌드가 실패하면', '캐시를 삭제하지 마세요', '빌드가 실패하면', '캐시를 삭제하세요', 'CONFLICT'],
  // Antonyms.
  ['antonym', TIMEOUT, 'Increase the timeout', TIMEOUT, 'Lower the timeout', 'CONFLICT'],
  [
    'enable against disable',
    'When tests are flaky',
    'Enable the cache',
    'When tests are flaky',
    'Disable the cache',
    'CONFLICT',
  ],
  [
    'refusing the opposite is no conflict',
    TIMEOUT,
    'Do not decrease the timeout',
    TIMEOUT,
    'Increase the timeout',
    'FULL',
  ],
  // Numbers.
  ['count', TIMEOUT, 'Retry the query 3 times', TIMEOUT, 'Retry the query 5 times', 'CONFLICT'],
  ['number word', TIMEOUT, 'Retry the query three times', TIMEOUT, 'Retry the query 3 times', 'FULL'],
  ['numbers swapped', TIMEOUT, 'Retry 3 times, wait 5 seconds', TIMEOUT, 'Retry 5 times, wait 3 seconds', 'CONFLICT'],
  ['a number more', TIMEOUT, 'Retry the query 3 times', TIMEOUT, 'Retry the query', 'FULL'],
  [
    'version in the name',
    'When a script is run',
    'Run it with python2',
    'When a script is run',
    'Run it with python3',
    'CONFLICT',
  ],
  [
    'number in the condition',
    'When a call returns 404',
    'Stop calling',
    'When a call returns 503',
    'Retry the call',
    'PARTIAL',
  ],
  // Order.
  [
    'before against after',
    'When deploying',
    'Run the migrations before the deploy',
    'When deploying',
    'Run the migrations after the deploy',
    'CONFLICT',
  ],
  [
    'the same order in other words',
    'When deploying',
    'Run the migrations before the rollout',
    'When deploying',
    'After the migrations, run the rollout',
    'FULL',
  ],
  [
    'operands swapped',
    'When syncing',
    'Copy staging to production',
    'When syncing',
    'Copy production to staging',
    'CONFLICT',
  ],
  [
    'then',
    'When releasing',
    'Build the image, then push the tag',
    'When releasing',
    'Push the tag, then build the image',
    'CONFLICT',
  ],
  // Conditions that only look alike.
  [
    'negated condition',
    'When the server is running',
    'Reload the configuration',
    'When the server is not running',
    'Start the server',
    'PARTIAL',
  ],
  ['another matter', TIMEOUT, 'Add an index', 'When the build cache is stale', 'Clear the cache', 'PARTIAL'],
  [
    'general rule beside a special case',
    'When a shell command that changes the folder fails with a message about a missing folder',
    'List the parent folder first',
    'When a shell command fails',
    'Read the message before doing anything else',
    'PARTIAL',
  ],
  [
    'same condition, unrelated action',
    TIMEOUT,
    'Add an index on the filter',
    TIMEOUT,
    'Ask the team for a replica',
    'CONFLICT',
  ],
  [
    'adds a step',
    'When the package is not found',
    'Install the package in the virtual environment and check its version',
    'When the package is not found',
    'Install the package in the virtual environment',
    'FULL',
  ],
];

describe('the comparison of claims', () => {
  it.each(GOLDEN)('%s', (_why, c1, a1, c2, a2, expected) => {
    const [candidate, existing] = [claim(c1, a1, { confidence: 0.9 }), claim(c2, a2)];
    expect(compareClaims(candidate, existing)).toBe(expected);
    expect(compareClaims(existing, candidate) === 'CONFLICT').toBe(expected === 'CONFLICT');
  });

  it('the golden set has at least thirty pairs', () => {
    expect(GOLDEN.length).toBeGreaterThanOrEqual(30);
  });

  it('only a more confident claim supersedes, and more evidence decides between equals', () => {
    const existing = claim(TIMEOUT, 'Retry the query', { evidence: 4 });
    expect(compareClaims(claim(TIMEOUT, 'Retry the query', { confidence: 0.7, evidence: 9 }), existing)).toBe(
      'PARTIAL',
    );
    expect(compareClaims(claim(TIMEOUT, 'Retry the query', { evidence: 4 }), existing)).toBe('PARTIAL');
    expect(compareClaims(claim(TIMEOUT, 'Retry the query', { evidence: 5 }), existing)).toBe('FULL');
  });

  it('rules on different failing actions never relate, however similar their sentences are', () => {
    const a = claim('When a shell command fails with not found', 'List the folder', { applicability: 'cd' });
    const b = claim('When a shell command fails with not found', 'Do not list the folder', { applicability: 'ls' });
    expect(compareClaims(a, b)).toBe('PARTIAL');
    expect(compareClaims(a, { ...b, applicability: 'cd' })).toBe('CONFLICT');
  });

  it('lessons of the learning core are compared by their patterns, and not by their words', () => {
    const learned = (call: LearnedClaim['conditions'][number]['call'], remedy: string): LearnedClaim => ({
      key: `+${remedy}`,
      follow: [`+${remedy}`],
      rivals: [],
      conditions: [
        {
          tool: 'shell',
          call: [...call],
          error: ['missing'],
          remedy: [remedy],
          values: {},
          closed: {},
          said: ['missing'],
        },
      ],
    });
    const narrow = claim(HEALTH, 'Run `curl`', { learned: learned(['wget', '-q', { one: 'url' }], 'curl') });
    const wide = claim(TIMEOUT, 'Try it', { confidence: 0.9, learned: learned(['wget', { any: 'more' }], 'curl') });
    const rival = claim(HEALTH, 'Run `curl`', { learned: learned(['wget', { any: 'more' }], 'aria2c') });
    const elsewhere = claim(HEALTH, 'Run `curl`', { learned: learned(['ripgrep'], 'grep') });
    expect([compareClaims(wide, narrow), compareClaims(narrow, wide)]).toEqual(['FULL', 'PARTIAL']);
    expect([compareClaims(narrow, rival), compareClaims(rival, narrow)]).toEqual(['CONFLICT', 'CONFLICT']);
    expect(compareClaims(narrow, elsewhere)).toBe('PARTIAL');
    const [shop, billing] = ['shop', 'billing'].map((project) => ({ binding: { project } }));
    expect(compareClaims({ ...narrow, ...shop }, { ...rival, ...billing })).toBe('PARTIAL');
    expect(isSubsumedBy(parseClaim(narrow), parseClaim(wide))).toBe(true);
    expect(isSubsumedBy(parseClaim(rival), parseClaim(wide))).toBe(false);
  });

  it('an embedder finds a paraphrase without common words, but excuses no contradiction', () => {
    const semantic = (): number => 0.95;
    const a = claim('When the pod keeps dying', 'Give it more memory', { confidence: 0.9 });
    const b = claim('In case of repeated container restarts', 'Assign a larger limit');
    expect(compareClaims(a, b)).toBe('PARTIAL');
    expect(compareClaims(a, b, { semantic })).toBe('FULL');
    const no = claim('In case of repeated container restarts', 'Never give it more memory');
    expect(compareClaims(a, no, { semantic })).toBe('CONFLICT');
  });

  it('no claim conflicts with itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (condition, action) => {
        expect(compareClaims(claim(condition, action), claim(condition, action))).toBe('PARTIAL');
      }),
    );
  });
});
