import { z } from 'zod';
import { count } from '../platform/base/count.schema.js';
import { IdPrefix } from '../platform/base/id-prefix.schema.js';

export const CONSOLIDATION_PHASES = ['orient', 'gather', 'consolidate', 'prune'] as const;
export const ConsolidationPhase = z.enum(CONSOLIDATION_PHASES);
export type ConsolidationPhase = z.infer<typeof ConsolidationPhase>;

/** A bounded list: the first of them, and how many there are. */
const bounded = <T extends z.ZodType>(item: T) => z.object({ total: count, items: z.array(item) });

/** What is always loaded: the lessons of an agent, one line each, or the entries of a project. */
export const MemoryInventory = z.object({ lessons: count, lines: count, bytes: count });
export type MemoryInventory = z.infer<typeof MemoryInventory>;

const ended = z.object({ id: z.uuid(), why: z.string() });

/** The entries of a project: one line each, as the preamble shows them. */
const EntryInventory = z.object({ entries: count, bytes: count });

/** What became of the session memory of the agent in one project. */
export const ProjectEntriesReport = z.object({
  /** Null: the entries that hold in every project. */
  project: z.string().nullable(),
  before: EntryInventory,
  after: EntryInventory,
  /** `into` says what `from` said, which ended. */
  merged: bounded(z.object({ into: z.uuid(), from: z.array(z.uuid()), why: z.string() })),
  ended: bounded(ended),
  /** Entries that exclude each other. Neither ends: the agent's owner is asked. */
  questions: bounded(z.object({ entries: z.array(z.uuid()), why: z.string() })),
  /** Changes that were left out, because an entry changed while the run read it. */
  skipped: count,
});
export type ProjectEntriesReport = z.infer<typeof ProjectEntriesReport>;

export const ConsolidationReport = z.object({
  orient: MemoryInventory,
  gather: z.object({
    /** Sessions since the last run that completed. */
    sessions: count,
    /** Lessons or entries that were written since then. */
    added: count,
    since: z.string().nullable(),
  }),
  consolidate: z.object({
    /** `into` stands for `from`, with the witnesses of all of them. */
    merges: bounded(z.object({ into: z.uuid(), from: z.array(z.uuid()), why: z.string(), witnesses: count })),
    /** A lesson that stands above its cases. */
    generalised: bounded(z.object({ into: z.uuid(), from: z.array(z.uuid()), why: z.string(), witnesses: count })),
    /** Relative dates that became absolute. */
    dates: bounded(
      z.object({ into: z.uuid(), from: z.uuid(), replaced: z.array(z.object({ from: z.string(), to: z.string() })) }),
    ),
    contradictions: bounded(
      z.object({
        /** The lessons that exclude each other. */
        lessons: z.array(z.uuid()),
        /** Null: nothing settles it, and the agent's owner is asked. */
        kept: z.uuid().nullable(),
        ended: z.uuid().nullable(),
        askOwner: z.boolean(),
        why: z.string(),
      }),
    ),
  }),
  prune: bounded(ended),
  /** The session memory, by project: those with a change or a question. */
  entries: bounded(ProjectEntriesReport).default({ total: 0, items: [] }),
  /** What is always loaded after the run. */
  after: MemoryInventory,
  /** Changes of the plan that were left out, because a lesson changed while the run read it. */
  skipped: count,
});
export type ConsolidationReport = z.infer<typeof ConsolidationReport>;

/** One consolidation run. */
export const ConsolidationRun = z
  .object({
    id: z.uuid(),
    agentId: z.uuid().nullable(),
    /** The name of the agent. */
    agent: z.string().nullable(),
    /** Set for a run over the session memory of this project. */
    project: z.string().nullable(),
    trigger: z.enum(['schedule', 'request']),
    dryRun: z.boolean(),
    state: z.enum(['running', 'completed', 'failed']),
    /** The last phase that began. */
    phase: ConsolidationPhase.nullable(),
    /** New sessions since the last run that completed. */
    sessions: count,
    startedAt: z.string(),
    finishedAt: z.string().nullable(),
    failure: z.string().nullable(),
    /** Until when it can be undone; null if there is nothing to undo. */
    undoUntil: z.string().nullable(),
    undoneAt: z.string().nullable(),
    report: ConsolidationReport.nullable(),
  })
  .meta({ id: 'ConsolidationRun' });
export type ConsolidationRun = z.infer<typeof ConsolidationRun>;

export const ConsolidationRunList = z.object({ items: z.array(ConsolidationRun) }).meta({ id: 'ConsolidationRunList' });
export type ConsolidationRunList = z.infer<typeof ConsolidationRunList>;

export const ConsolidationQuery = z.strictObject({
  /** Only runs whose id begins so. */
  id: IdPrefix.optional(),
  agent: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
export type ConsolidationQuery = z.infer<typeof ConsolidationQuery>;

export const StartConsolidation = z.strictObject({
  /** Every agent with lessons or a session memory by default. */
  agentId: z.uuid({ error: 'must be a UUID' }).optional(),
  dryRun: z.boolean().default(false),
});
export type StartConsolidation = z.infer<typeof StartConsolidation>;

/** The runs of a request, and the agents that another run holds. */
export const ConsolidationStarted = z
  .object({ items: z.array(ConsolidationRun), busy: z.array(z.object({ agentId: z.uuid(), agent: z.string() })) })
  .meta({ id: 'ConsolidationStarted' });
export type ConsolidationStarted = z.infer<typeof ConsolidationStarted>;

export const ConsolidationUndoResult = z
  .object({
    run: ConsolidationRun,
    /** Lessons that are live again. */
    restored: count,
    /** Lessons that the run wrote and that ended. */
    ended: count,
    entries: z.object({
      /** Entries of the session memory that are live again. */
      restored: count,
      /** Summaries of sessions that have a newer one. They stay ended. */
      skipped: count,
    }),
  })
  .meta({ id: 'ConsolidationUndoResult' });
export type ConsolidationUndoResult = z.infer<typeof ConsolidationUndoResult>;

export const NewConsolidationPause = z.strictObject({
  /** All agents by default. */
  agentId: z.uuid({ error: 'must be a UUID' }).optional(),
});
export type NewConsolidationPause = z.infer<typeof NewConsolidationPause>;

export const ConsolidationPause = z
  .object({
    id: z.uuid(),
    /** Null: all agents. */
    agentId: z.uuid().nullable(),
    agent: z.string().nullable(),
    since: z.string(),
  })
  .meta({ id: 'ConsolidationPause' });
export type ConsolidationPause = z.infer<typeof ConsolidationPause>;

export const ConsolidationPauseList = z
  .object({ items: z.array(ConsolidationPause) })
  .meta({ id: 'ConsolidationPauseList' });
export type ConsolidationPauseList = z.infer<typeof ConsolidationPauseList>;
