import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';

const MAX_SEGMENTS = 10;
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/** Of what was made: a latent base, or by earlier versions a map of queries (`adapter`). */
export const TuningKind = z.enum(['base', 'adapter']);
export type TuningKind = z.infer<typeof TuningKind>;

export const TUNING_STAGES = ['collect', 'embed', 'train', 'choose', 'gate', 'deploy', 'measure', 'done'] as const;
export const TuningStage = z.enum(TUNING_STAGES);
export type TuningStage = z.infer<typeof TuningStage>;

export const TUNING_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export const TuningState = z.enum(TUNING_STATES);
export type TuningState = z.infer<typeof TuningState>;

/** A folder below the tuning folder of the server. It is refused before anything touches the disk. */
const PlanFolder = z.string().superRefine((path, context) => {
  const problem = pathProblem(path);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** Values that a plan may set instead of the server's. Their bounds are checked by preflight and by start. */
export const TuningOverrides = z.strictObject({
  /** The share of one core that the training may use. */
  coreShare: z.number().optional(),
  /** The newest memories that it reads. */
  maxDocuments: z.number().optional(),
});
export type TuningOverrides = z.infer<typeof TuningOverrides>;

/** What a run does. */
export const TuningPlan = z
  .strictObject({
    kind: z.literal('base', { error: 'must be base' }).default('base'),
    /** The same seed and the same input make the same checkpoint. */
    seed: z.int().min(0).max(2_147_483_647).default(1),
    /** Holds docs.jsonl and queries.jsonl: texts to learn from, and queries with the ids of memories that answer them. */
    sourceDir: PlanFolder.optional(),
    /** Where the checkpoint is also written as a file. */
    outputDir: PlanFolder.optional(),
    overrides: TuningOverrides.default({}),
  })
  .meta({ id: 'TuningPlan' });
export type TuningPlan = z.infer<typeof TuningPlan>;

const Reason = z.object({ code: z.string(), text: z.string() });

export const PlannedFolder = z.object({
  path: z.string(),
  /** Readable, or writable. */
  usable: z.boolean(),
  problem: z.string().nullable(),
});
export type PlannedFolder = z.infer<typeof PlannedFolder>;

export const TuningPreflight = z
  .object({
    /** True if a run can start, and its result can be deployed if it is good enough. */
    ready: z.boolean(),
    /** Live memories that the run would read. */
    documents: count,
    /** Queries with the memories that answer them. */
    pairs: count,
    /** True if there are enough of them for the rule that decides what is deployed. */
    canPass: z.boolean(),
    /** What stands against it. */
    reasons: z.array(Reason),
    folders: z.object({ source: PlannedFolder.nullable(), output: PlannedFolder.nullable() }),
    overrides: z.array(
      z.object({ name: z.string(), value: z.number(), min: z.number(), max: z.number(), allowed: z.boolean() }),
    ),
  })
  .meta({ id: 'TuningPreflight' });
export type TuningPreflight = z.infer<typeof TuningPreflight>;

/** The decision of the rule, with the numbers behind it. */
export const TuningVerdict = z.object({
  deploy: z.boolean(),
  reasons: z.array(Reason),
  measures: z.record(z.string(), z.number()),
});
export type TuningVerdict = z.infer<typeof TuningVerdict>;

export const MeasuredAgain = z.object({ gateGain: z.number(), probeGain: z.number() });
export type MeasuredAgain = z.infer<typeof MeasuredAgain>;

export const TuningRun = z
  .object({
    id: z.uuid(),
    kind: TuningKind,
    trigger: z.enum(['schedule', 'request']),
    state: TuningState,
    /** The stage that began last. */
    stage: TuningStage,
    progress: z.object({ done: count, total: count }),
    plan: TuningPlan.extend({ kind: TuningKind }).meta({ id: 'StoredTuningPlan' }),
    /** Null: the schedule. */
    requestedBy: z.uuid().nullable(),
    documents: count.nullable(),
    pairs: count.nullable(),
    /** Hash of all that the training reads. */
    inputSha256: z.string().nullable(),
    /** What a reader should know, such as that the input changed and the training began again. */
    notes: z.array(z.string()),
    checkpointId: z.uuid().nullable(),
    verdict: TuningVerdict.nullable(),
    /** The same numbers after the deployment. */
    measuredAgain: MeasuredAgain.nullable(),
    outcome: z.enum(['deployed', 'kept', 'rolled_back']).nullable(),
    failure: z.string().nullable(),
    createdAt: z.string(),
    startedAt: z.string().nullable(),
    /** When an earlier version last saved its training; null of newer runs. */
    savedAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: 'TuningRun' });
export type TuningRun = z.infer<typeof TuningRun>;

export const TuningRunPage = z.object({ items: z.array(TuningRun), total: count }).meta({ id: 'TuningRunPage' });
export type TuningRunPage = z.infer<typeof TuningRunPage>;

export const TuningRunQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
export type TuningRunQuery = z.infer<typeof TuningRunQuery>;

export const TuningStatus = z
  .object({
    /** True while a run is queued or running. */
    active: z.boolean(),
    /** The run that was asked for, the active one, or else the newest. */
    run: TuningRun.nullable(),
  })
  .meta({ id: 'TuningStatus' });
export type TuningStatus = z.infer<typeof TuningStatus>;

export const EmbedderCheckpoint = z
  .object({
    id: z.uuid(),
    runId: z.uuid(),
    kind: TuningKind,
    name: z.string(),
    /** The embedder whose vectors its queries meet. */
    baseName: z.string(),
    dimensions: count,
    /** Bytes of its model; null once it is deleted. */
    bytes: count.nullable(),
    modelSha256: z.string(),
    weight: z.number(),
    minSimilarity: z.number(),
    measures: z.record(z.string(), z.number()),
    documents: count,
    active: z.boolean(),
    createdAt: z.string(),
    deletedAt: z.string().nullable(),
  })
  .meta({ id: 'EmbedderCheckpoint' });
export type EmbedderCheckpoint = z.infer<typeof EmbedderCheckpoint>;

export const EmbedderCheckpointList = z
  .object({ items: z.array(EmbedderCheckpoint) })
  .meta({ id: 'EmbedderCheckpointList' });
export type EmbedderCheckpointList = z.infer<typeof EmbedderCheckpointList>;

export const ActiveEmbedder = z
  .object({
    /** What is in service: the name of the configured embedder, or of a checkpoint. */
    name: z.string(),
    /** The embedder of the settings. */
    configured: z.string(),
    /** Null: the configured embedder. */
    checkpointId: z.uuid().nullable(),
    kind: TuningKind.nullable(),
    weight: z.number(),
    minSimilarity: z.number(),
    since: z.string().nullable(),
    /** What the database names, while this process still embeds the memories for it; null otherwise. */
    next: z.string().nullable(),
    /** Why this process serves something else than the database names; null without a problem. */
    problem: z.string().nullable(),
  })
  .meta({ id: 'ActiveEmbedder' });
export type ActiveEmbedder = z.infer<typeof ActiveEmbedder>;

const reason = z
  .string()
  .trim()
  .min(1, { error: 'must not be blank' })
  .max(500)
  .meta({ example: 'The answers of the last days are worse than before.' });

/** What an operation that ends or replaces something needs beside its actor. */
export const GuardedOperation = z
  .strictObject({
    confirm: z.literal(true, { error: 'must be true' }),
    /** Why; it is redacted and journalled. */
    reason,
  })
  .meta({ id: 'GuardedOperation' });
export type GuardedOperation = z.infer<typeof GuardedOperation>;

export const CancelledRun = z
  .object({
    /** The run that was cancelled; null if none was active. */
    cancelled: z.uuid().nullable(),
  })
  .meta({ id: 'CancelledRun' });
export type CancelledRun = z.infer<typeof CancelledRun>;

/** The name of the configured embedder in place of the id of a checkpoint. */
export const CONFIGURED = 'configured';
export const RollbackTarget = z.union([z.uuid(), z.literal(CONFIGURED)], {
  error: `must be the UUID of a checkpoint, or "${CONFIGURED}"`,
});
export type RollbackTarget = z.infer<typeof RollbackTarget>;

/**
 * Why a folder of a plan is refused; undefined if it may be used. A plan comes from a caller, so it names a folder below
 * the tuning folder and nothing else: no parent, no root, no drive, no separator of another system.
 */
function pathProblem(path: string): string | undefined {
  if (path.includes('\\')) return 'must not contain a backslash';
  if (/^[A-Za-z]:/.test(path)) return 'must not begin with a drive letter';
  if (path.startsWith('/') || path.startsWith('~')) return 'must be relative to the tuning folder';
  const segments = path.split('/');
  if (segments.includes('..')) return 'must not name a parent folder';
  if (segments.length > MAX_SEGMENTS || !segments.every((segment) => SEGMENT.test(segment)))
    return `must be up to ${MAX_SEGMENTS} names of letters, digits, "_", "-" and ".", separated by "/"`;
  return undefined;
}
