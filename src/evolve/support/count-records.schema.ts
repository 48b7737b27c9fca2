import { z } from 'zod';

const Count = z.int().min(0);
const Counted = z.array(z.tuple([z.string(), Count]));

/**
 * One record of saved counts. Numbers of executions and of agents are places in the records before, which list them.
 * A list that can be long is cut into several records.
 */
export const CountRecord = z.discriminatedUnion('of', [
  /** Id, name and owner. */
  z.strictObject({ of: z.literal('agents'), agents: z.array(z.tuple([z.string(), z.string(), z.string()])) }),
  /** In columns. `origins`, `roots` and `projects` are hashes. */
  z.strictObject({
    of: z.literal('executions'),
    ids: z.array(z.string()),
    agents: z.array(Count),
    origins: z.array(Count),
    roots: z.array(Count),
    projects: z.array(Count),
    /** Milliseconds since 1970. */
    finishedAt: z.array(z.int()),
  }),
  z.strictObject({ of: z.literal('excluded'), calls: Counted }),
  z.strictObject({ of: z.literal('tools'), tools: z.array(z.tuple([z.string(), Count, Count])) }),
  z.strictObject({
    of: z.literal('group'),
    tool: z.string(),
    action: z.string(),
    errorClass: z.string(),
    template: z.string(),
    failures: Count,
    kinds: Counted,
    projects: Counted,
    models: Counted,
  }),
  /** Of the group before. */
  z.strictObject({
    of: z.literal('evidence'),
    executions: z.array(Count),
    /** Failures by agent. */
    failures: z.array(z.tuple([Count, Count])),
  }),
  /** An action with its sample of executions; if that is thinned: at which level, and of how many executions. */
  z.strictObject({
    of: z.literal('usage'),
    actions: z.array(
      z.strictObject({
        key: z.string(),
        sample: z.array(Count),
        thinned: z.strictObject({ level: Count, executions: Count }).optional(),
      }),
    ),
  }),
  z.strictObject({ of: z.literal('usage limit'), perKey: Count }),
  z.strictObject({
    of: z.literal('task'),
    origin: z.string(),
    check: z.string(),
    executions: z.int(),
    failures: z.int(),
    /** Executions by agent. */
    failedBy: Counted,
    passedBy: Counted,
  }),
  z.strictObject({ of: z.literal('owners'), owners: z.array(z.tuple([z.string(), z.string()])) }),
]);
export type CountRecord = z.infer<typeof CountRecord>;
export type CountRecordOf<K extends CountRecord['of']> = Extract<CountRecord, { of: K }>;

/** The new numbers of executions and agents in the records. */
export interface SavedNumbers {
  execution(number: number): number;
  agent(number: number): number;
}

/** Numbers of one record: some tens of kilobytes. */
const SLICE = 5_000;

/** The values in slices for one record each. */
export function* slices<T>(values: Iterable<T>, size = SLICE): Generator<T[]> {
  let slice: T[] = [];
  for (const value of values) {
    slice.push(value);
    if (slice.length < size) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
