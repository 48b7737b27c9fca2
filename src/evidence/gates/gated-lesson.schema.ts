import { z } from 'zod';

const text = (max: number) => z.string().max(max);

/** A lesson as the gates read it, of a person, a rule or a model. */
export const GatedLesson = z.strictObject({
  title: text(200),
  condition: text(1_000),
  cause: text(1_000).optional(),
  steps: z.array(text(1_000)).max(20),
  gotchas: z.array(text(1_000)).max(20),
  action: text(1_000).optional(),
  /** The call that failed, and the call that the lesson recommends. */
  example: z.strictObject({ before: text(2_000), after: text(2_000) }).optional(),
  /** Verbatim parts of the dossier, on which the lesson rests. */
  quotes: z.array(text(600)).max(20).optional(),
});
export type GatedLesson = Readonly<z.infer<typeof GatedLesson>>;

/** Why a gate stops a lesson, or what the lesson must say besides. */
export const GateFinding = z
  .strictObject({
    gate: z.enum(['grounding', 'lint']),
    /** Dotted path of the text, such as `steps.1`. */
    part: text(40),
    /** The words that the gate objects to. */
    text: text(200),
    reason: text(200),
    /** `refuse`: the lesson must not be proposed. `limit`: it must say where it holds, and a reviewer sees why. */
    severity: z.enum(['refuse', 'limit']),
  })
  .meta({ id: 'GateFinding' });
export type GateFinding = Readonly<z.infer<typeof GateFinding>>;
