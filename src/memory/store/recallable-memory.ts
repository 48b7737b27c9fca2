import type { Category, Scope } from './lesson.schema.js';
import type { MemoryEntry } from './memory.schema.js';

/** The proposer of a note that an agent wrote for itself. */
export const NOTE_PROPOSER = 'the agent itself';
/** Stands in a note for a task or a reason that its agent did not give. */
export const NOT_SAID = 'Not said.';

/** The failure key of all lessons from successes: it names no situation. */
export const SUCCESS = 'success';

/** An agent that reads memory, with the role and department whose memory it shares. */
export interface Reader {
  readonly agentId: string;
  readonly role: string | null;
  readonly department: string | null;
}

/**
 * The fields of a memory that recall renders. Counters and upkeep fields are left out, so that a cached copy stays
 * valid.
 */
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
  | 'propagatedFromId'
  | 'witnessCount'
  | 'createdAt'
>;

/** A live memory in the recall index, with the role and department that may see it. */
export interface LiveMemory extends RecallableMemory {
  readonly role: string | null;
  readonly department: string | null;
}

/** A kind of notes that an agent keeps apart from others. */
export interface NoteKind {
  readonly category: Category;
  readonly tag?: string;
}

/**
 * Core notes, which are part of every context. A lesson with the tag `core` is not one, because its category differs.
 */
export const CORE_NOTES = { category: 'SEMANTIC', tag: 'core' } as const satisfies NoteKind;

/** What was visible at a moment, as PostgreSQL writes a snapshot: changes that became visible later come after it. */
export type MemoryCursor = string;

export interface MemoryChanges {
  /** Cursor for the next read. */
  readonly cursor: MemoryCursor;
  /** Each changed memory once. */
  readonly changes: readonly {
    readonly id: string;
    /** The visibility group of the memory if it is live now; undefined if it is not, or if no reader could see it. */
    readonly group: string | undefined;
    readonly isLive: boolean;
  }[];
}

/** The memories that an agent received in a session at one time. */
export interface MemoryRetrieval {
  readonly agentId: string;
  readonly sessionId: string;
  readonly ids: readonly string[];
  readonly at: Date;
}

/** The memories that one request without a session received. */
export type SingleRetrieval = Pick<MemoryRetrieval, 'ids' | 'at'>;

/** Identifies a retrieval that counts once for its memory. */
export const retrievalKey = (agentId: string, sessionId: string, memoryId: string): string =>
  `${agentId} ${memoryId} ${sessionId}`;

/** The visibility group of a memory; undefined if no reader could see it. */
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

/** The visibility groups of a reader: its own, its role's, its department's and the organisation's. */
export function visibilityGroupsFor({ agentId, role, department }: Reader): string[] {
  return [
    `agent:${agentId}`,
    ...(role === null ? [] : [`role:${role}`]),
    ...(department === null ? [] : [`department:${department}`]),
    'org',
  ];
}

/** The scope of a visibility group, and the owner of what it holds; the organisation's has none. */
export function partsOfGroup(group: string): { readonly scope: string; readonly owner: string } {
  const colon = group.indexOf(':');
  return colon < 0 ? { scope: group, owner: '' } : { scope: group.slice(0, colon), owner: group.slice(colon + 1) };
}
