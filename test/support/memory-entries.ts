import type { MemoryEntry } from '../../src/memory/store/memory.schema.js';

/** A live memory as the store returns it, for specs of pure functions. */
export function memoryEntry(entry: Partial<MemoryEntry>): MemoryEntry {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    scope: 'agent',
    category: 'PROCEDURAL',
    agentId: '00000000-0000-4000-8000-00000000000a',
    role: null,
    department: null,
    sharedById: null,
    lesson: {
      discovery: 'The nightly export fails with python',
      activation: { condition: 'The export is run', action: 'Run python3', rationale: 'python is version 2' },
      steps: ['Run python3 export.py'],
      confidence: 0.7,
      tags: [],
    },
    controlTags: ['non-inferable'],
    provenance: 'unverified',
    proposer: 'rules/1',
    awaitingProposer: false,
    cost: null,
    sourceExecutionId: null,
    skillName: null,
    version: null,
    proposalId: null,
    contentSha256: 'x',
    applicationCount: 0,
    lastAppliedAt: null,
    relevanceCount: 0,
    witnessCount: 1,
    lastWitnessedAt: null,
    lastRetrievedAt: null,
    pinned: false,
    propagatedFromId: null,
    endReason: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    supersededAt: null,
    supersededById: null,
    ...entry,
  };
}
