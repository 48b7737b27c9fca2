import { canonicalJson, sha256 } from '../../../src/platform/base/canonical-json.js';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/base/durations.js';
import type { Database } from '../../../src/platform/database/database.js';
import { idOf } from './id-of-label.js';
import { seedEntries } from './seeded-entries.js';

const AT = new Date('2026-03-04T12:00:00Z').getTime();
/** Enough long lessons that the index is beyond its bounds, so that a run prunes some. */
const LONG_LESSONS = 50;
const LONG_DISCOVERY = 600;

interface Seeded {
  readonly failure: string;
  /** Null: it says that nothing overcame the failure. */
  readonly remedy: string | null;
  readonly action: string;
  readonly discovery?: string;
  readonly witnesses: readonly string[];
  readonly pinned?: boolean;
  readonly lastWitnessedAt?: number;
}

/**
 * Creates agents whose lessons a run merges, covers, dates, ends as contradicted or answered and prunes, with entries of a session
 * memory that it merges and prunes. Returns their ids.
 */
export async function seedAgents(database: Database, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => idOf(`agent ${n}`));
  await database.transaction(async (tx) => {
    await tx.principal.createMany({
      data: ids.map((id, n) => ({ id, kind: 'agent' as const, name: `Agent ${n}`, createdAt: new Date(AT) })),
    });
  });
  for (const [n, id] of ids.entries()) {
    const equal = 4 + (n % 9);
    await seedLessons(database, id, lessonsOf(equal));
    await seedEntries(database, id, equal);
  }
  return ids;
}

/** `equal` lessons that say the same, and some of each other kind. */
function lessonsOf(equal: number): Seeded[] {
  const same = { failure: 'python', remedy: 'python3', action: 'Use `python3 close.py`.' };
  const kept = { failure: 'npm', remedy: 'ci', action: 'Use `npm ci`.' };
  const repeat = 'Clear the cache and repeat the tests.';
  const migration = 'run the migration before the tests.';
  return [
    // Each execution but the first and the last showed two of them.
    ...Array.from({ length: equal }, (_, n) => ({ ...same, witnesses: [`same ${n}`, `same ${n + 1}`] })),
    { ...kept, witnesses: ['kept 0'], pinned: true },
    ...[1, 2, 3].map((n) => ({ ...kept, witnesses: ['kept 0', `kept ${n}`] })),
    { failure: 'npm', remedy: null, action: 'Nothing that was tried helped.', witnesses: ['open 0'] },
    { failure: 'cache', remedy: 'x', action: `Restart the database, ${repeat.toLowerCase()}`, witnesses: ['cache 0'] },
    { failure: 'cache', remedy: 'y', action: repeat, witnesses: ['cache 0', 'cache 1'] },
    ...[0, 1, 2].map((n) => ({
      failure: `dated ${n}`,
      remedy: 'wait',
      action: 'Wait.',
      witnesses: [`dated ${n}`],
      discovery: `It failed yesterday, time ${n}`,
    })),
    { failure: 'migration', remedy: 'x', action: `Always ${migration}`, witnesses: ['migration 0'] },
    {
      failure: 'migration',
      remedy: 'y',
      action: `Do not ${migration}`,
      witnesses: ['migration 1'],
      lastWitnessedAt: AT + DAY_MS,
    },
    ...Array.from({ length: LONG_LESSONS }, (_, n) => ({
      failure: `long ${n}`,
      remedy: 'wait',
      action: `Wait ${n + 2} minutes.`,
      witnesses: [`long ${n}`],
      discovery: `Long lesson ${n} `.padEnd(LONG_DISCOVERY, 'x'),
    })),
  ];
}

async function seedLessons(database: Database, agentId: string, lessons: readonly Seeded[]): Promise<void> {
  const rows = lessons.map((lesson, n) => rowOf(agentId, lesson, n));
  await database.transaction(async (tx) => {
    await tx.memory.createMany({ data: rows });
    await tx.memoryWitness.createMany({
      data: lessons.flatMap(({ witnesses }, n) =>
        witnesses.map((witness) => ({
          memoryId: idOf(`${agentId} lesson ${n}`),
          executionId: idOf(`${agentId} ${witness}`),
          sessionId: witness,
          at: new Date(AT),
        })),
      ),
    });
    const source = idOf(`${agentId} source`);
    await tx.memorySource.createMany({ data: rows.map(({ id }) => ({ memoryId: id, sourceId: source })) });
  });
}

function rowOf(agentId: string, seeded: Seeded, n: number) {
  const { failure, remedy, action, witnesses, lastWitnessedAt = AT } = seeded;
  const discovery = seeded.discovery ?? `${failure} fails, time ${n}`;
  const activation = { condition: 'It failed.', action, rationale: 'It worked.' };
  const texts = { discovery, steps: [action], confidence: 0.7, tags: [] };
  return {
    id: idOf(`${agentId} lesson ${n}`),
    scope: 'agent' as const,
    category: 'PROCEDURAL',
    agentId,
    ...texts,
    ...activation,
    parts: {},
    controlTags: ['non-inferable'],
    provenance: 'unverified' as const,
    proposer: 'rules/1',
    awaitingProposer: false,
    contentSha256: sha256(canonicalJson({ ...texts, activation })),
    failureKey: failure,
    remedyKey: remedy,
    witnessCount: witnesses.length,
    relevanceCount: n,
    createdAt: new Date(AT + n * MINUTE_MS),
    lastWitnessedAt: new Date(lastWitnessedAt),
    pinnedAt: seeded.pinned ? new Date(AT) : null,
  };
}
