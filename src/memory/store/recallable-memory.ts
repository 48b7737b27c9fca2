import type { Category, Scope } from './lesson.schema.js';
import type { MemoryEntry } from './memory.schema.js';

/** Who reads: an agent, with what it shares memory by. */
export interface Reader {
  readonly agentId: string;
  readonly role: string | null;
  readonly department: string | null;
}

/** A memory as recall renders it: without what use and upkeep change, so that a copy in memory stays valid. */
export type RecallableMemory = Pick<
  MemoryEntry,
  | 'id'
  | 'scope'
  | 'category'
  | 'agentId'
  | 'lesson'
  | 'controlTags'
  | 'provenance'
  | 'proposer'
  | 'sourceExecutionId'
  | 'skillName'
  | 'version'
  | 'proposalId'
  | 'createdAt'
>;

/** A live memory as it is searched and told, with what says who may see it. */
export interface LiveMemory extends RecallableMemory {
  readonly role: string | null;
  readonly department: string | null;
}

/** Notes that an agent keeps apart from others. */
export interface NoteKind {
  readonly category: Category;
  readonly tag?: string;
}

/** What is always before an agent (spec R4). A lesson that is merely tagged so is none: it is of another category. */
export const CORE_NOTES = { category: 'SEMANTIC', tag: 'core' } as const satisfies NoteKind;

export interface MemoryChanges {
  /** Where to go on reading. */
  readonly cursor: bigint;
  readonly changes: readonly { readonly transaction: bigint; readonly id: string }[];
}

export type MemoryChange = MemoryChanges['changes'][number];

/** What an agent was told in a session, at a time. */
export interface MemoryRetrieval {
  readonly agentId: string;
  readonly sessionId: string;
  readonly ids: readonly string[];
  readonly at: Date;
}

/** A memory is counted once for each of these. */
export const retrievalKey = (agentId: string, sessionId: string, memoryId: string): string =>
  `${agentId} ${memoryId} ${sessionId}`;

/** The group of memories that this one stands in; undefined where nobody could read it. */
export function visibilityGroupOf({
  scope,
  agentId,
  role,
  department,
}: Omit<Reader, 'agentId'> & { scope: Scope; agentId: string | null }): string | undefined {
  if (scope === 'org') return 'org';
  const owner = { agent: agentId, role, department }[scope];
  return owner === null ? undefined : `${scope}:${owner}`;
}

/** The groups that a reader may see: its own, its role's, its department's and the organisation's, and no other. */
export function visibilityGroupsFor({ agentId, role, department }: Reader): string[] {
  return [
    `agent:${agentId}`,
    ...(role === null ? [] : [`role:${role}`]),
    ...(department === null ? [] : [`department:${department}`]),
    'org',
  ];
}
