import { randomUUID } from 'node:crypto';
import type { LessonParts } from '../../src/memory/store/lesson.schema.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import type { Database } from '../../src/platform/database/database.js';
import { AT, GateRows } from './gate-rows.js';

export interface TestMemory {
  readonly id?: string;
  readonly scope?: 'agent' | 'role' | 'department';
  readonly agentId?: string;
  readonly role?: string;
  readonly department?: string;
  readonly discovery: string;
  readonly action?: string;
  readonly condition?: string;
  readonly rationale?: string;
  readonly steps?: readonly string[];
  readonly parts?: LessonParts;
  readonly proposer?: string;
  readonly controlTags?: string[];
  readonly createdAt: Date;
}

/** Stores a lesson as the proposer or propagation would, for tests of later steps. */
export async function storedMemory(database: Pick<Database, 'transaction'>, memory: TestMemory): Promise<string> {
  if (memory.scope === 'role' || memory.scope === 'department') return sharedMemory(database, memory);
  const { id = randomUUID(), scope = 'agent', action = 'Do it in another way.', condition = 'It comes up.' } = memory;
  // In a transaction, like every write, so that this process notices the change.
  await database.transaction((tx) =>
    tx.memory.create({
      data: {
        id,
        scope,
        category: 'PROCEDURAL',
        agentId: memory.agentId ?? null,
        role: memory.role ?? null,
        department: memory.department ?? null,
        discovery: memory.discovery,
        condition,
        action,
        rationale: memory.rationale ?? 'It worked.',
        steps: [...(memory.steps ?? ['Do it.'])],
        parts: { ...memory.parts },
        confidence: 0.7,
        tags: [],
        controlTags: memory.controlTags ?? ['non-inferable'],
        provenance: 'unverified',
        proposer: memory.proposer ?? 'rules/1',
        awaitingProposer: false,
        contentSha256: sha256(memory.discovery),
        createdAt: memory.createdAt,
      },
    }),
  );
  return id;
}

/** Stores a lesson of another agent of the group, and shares it with the group in the name of a reviewer. */
async function sharedMemory(database: Pick<Database, 'transaction'>, memory: TestMemory): Promise<string> {
  const id = memory.id ?? randomUUID();
  const { scope: _, agentId: __, role = null, department = null, ...text } = memory;
  const source = await storedMemory(database, { ...text, id: randomUUID(), agentId: randomUUID() });
  await database.transaction(async (tx) => {
    const { parts, cost, figures: _figures, ...row } = await tx.memory.findUniqueOrThrow({ where: { id: source } });
    const sharedById = randomUUID();
    await tx.principal.create({
      data: {
        id: sharedById,
        kind: 'person',
        name: `Sharer ${sharedById}`,
        isReviewer: true,
        createdAt: memory.createdAt,
      },
    });
    await tx.memory.create({
      data: {
        ...row,
        id,
        scope: memory.scope ?? 'role',
        agentId: null,
        propagatedFromId: source,
        sharedById,
        ...(memory.scope === 'role' ? { role } : { department }),
        steps: [...(memory.steps ?? ['Do it.'])],
        parts: { ...memory.parts },
      },
    });
  });
  return id;
}

/** Verifies a private memory as a reviewer's verdict does: their word first, then the provenance. */
export async function verifiedByPerson(database: Database, id: string): Promise<void> {
  // A person of its own for each memory: two people never share an address.
  const source = await new GateRows(database).reviewer({ name: `Reviewer of memory ${id}` });
  await database.transaction(async (tx) => {
    const at = new Date(AT);
    const said = { memoryId: id, kind: 'person', stance: 'supports', source, whole: true, reason: 'looked at it', at };
    await tx.memoryEvidence.create({ data: { id: randomUUID(), ...said } });
    await tx.memory.update({ where: { id }, data: { provenance: 'verified' } });
  });
}
