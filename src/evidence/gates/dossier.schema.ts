import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';
import { EnvironmentFact } from '../calls/lesson-parts.schema.js';
import { ShownCall } from '../calls/shown-call.schema.js';

const text = (max: number) => z.string().max(max);
const named = z.strictObject({ name: text(120), n: count });
/** One call of an example, redacted. */
const ExampleCall = z.strictObject({
  call: ShownCall,
  ok: z.boolean().nullable(),
  /** The decisive error line; null unless it failed. */
  error: text(300).nullable(),
});

const Example = z.strictObject({
  recovered: z.boolean(),
  before: ExampleCall.nullable(),
  failed: ExampleCall,
  /** The calls after it, at most four. */
  later: z.array(ExampleCall).max(4),
});

/** The evidence about one family of failures, without anything else of the executions. */
export const Dossier = z
  // Stored ones may hold fields of earlier versions.
  .object({
    /** `runs`: of proposals before whole runs were removed. */
    kind: z.enum(['failure', 'runs']),
    /** The template of the error; of runs what differs between them. */
    signature: text(200),
    failures: count,
    /** Executions with the failure, and all that were examined. */
    executions: count,
    examined: count,
    agents: count,
    origins: count,
    harnesses: z.array(named).max(5),
    tools: z.array(named).max(5),
    actions: z.array(named).max(8),
    /** Failures that their executions overcame; of runs those that took the step and ended well. */
    recovered: count,
    examples: z.array(Example).max(3),
    environment: z.array(EnvironmentFact).max(8),
  })
  .meta({ id: 'Dossier' });
export type Dossier = Readonly<z.infer<typeof Dossier>>;
