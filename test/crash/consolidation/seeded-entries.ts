import { canonicalJson, sha256 } from '../../../src/platform/base/canonical-json.js';
import { MINUTE_MS } from '../../../src/platform/base/durations.js';
import type { Database } from '../../../src/platform/database/database.js';
import { idOf } from './id-of-label.js';

const AT = new Date('2026-03-05T12:00:00Z').getTime();
/** The null project holds in every project. */
const PROJECTS = ['shop', 'bank', null] as const;
/** Enough long entries of the first project that it is beyond its bounds, so that a run prunes some. */
const LONG_ENTRIES = 160;
const LONG_CONTENT = 200;

interface SeededEntry {
  readonly kind: 'fact' | 'decision' | 'preference' | 'session-summary' | 'open-thread';
  readonly content: string;
  readonly pinned?: boolean;
  readonly writtenBy?: 'agent' | 'person';
}

/** Gives an agent entries that a run merges, asks about, keeps because a person wrote them, and prunes. */
export async function seedEntries(database: Database, agentId: string, equal: number): Promise<void> {
  const data = PROJECTS.flatMap((project) =>
    entriesOf(equal, project === 'shop').map((entry, n) => rowOf(agentId, project, entry, n)),
  );
  await database.transaction((tx) => tx.memory.createMany({ data }));
}

/** `equal` entries that say the same, and some of each other kind. */
function entriesOf(equal: number, isLong: boolean): SeededEntry[] {
  const same = 'The tests need the database of the project.';
  const decided = 'We deploy on Tuesdays, after the backup.';
  return [
    ...Array.from({ length: equal }, (): SeededEntry => ({ kind: 'fact', content: same })),
    ...[true, false, false].map((pinned): SeededEntry => ({ kind: 'decision', content: decided, pinned })),
    { kind: 'fact', content: 'The build takes Node 22.', writtenBy: 'person' },
    { kind: 'fact', content: 'the build takes Node 22' },
    { kind: 'preference', content: 'Always write tests before the code of a change.' },
    { kind: 'preference', content: 'Never write tests before the code of a change.' },
    { kind: 'open-thread', content: 'The import of old orders is not done.' },
    { kind: 'open-thread', content: 'The import of old orders is not done.' },
    ...Array.from(
      { length: isLong ? LONG_ENTRIES : 0 },
      (_, n): SeededEntry => ({ kind: 'fact', content: `Service number ${n} listens `.padEnd(LONG_CONTENT, `${n} `) }),
    ),
  ];
}

function rowOf(agentId: string, project: string | null, seeded: SeededEntry, n: number) {
  const { kind, content, pinned = false, writtenBy = 'agent' } = seeded;
  const createdAt = new Date(AT + n * MINUTE_MS);
  return {
    id: idOf(`${agentId} entry ${project} ${n}`),
    scope: 'project' as const,
    category: 'SEMANTIC',
    discovery: '',
    condition: '',
    rationale: '',
    steps: [],
    confidence: 0.5,
    controlTags: [],
    provenance: 'unverified' as const,
    proposer: '',
    awaitingProposer: false,
    agentId,
    project,
    sessionId: `session ${n}`,
    kind,
    action: content,
    tags: [],
    pinnedAt: pinned ? createdAt : null,
    writtenBy,
    contentSha256: sha256(canonicalJson({ kind, content, tags: [] })),
    createdAt,
    updatedAt: createdAt,
  };
}
