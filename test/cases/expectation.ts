import { readFileSync } from 'node:fs';
import { z } from 'zod';

const count = z.int().min(0);
const texts = z.array(z.string().min(1)).min(1);
/** Within the folder of the case. */
const folder = z
  .string()
  .regex(/^(?!\/)(?!(?:.{0,1000}\/)?\.\.(?:\/|$)).{1,1000}$/, { error: 'must be a path within the case' });

const ExpectedRun = z
  .strictObject({
    import: z.array(folder).min(1),
    executions: count,
    agents: count,
    projects: count,
    calls: count,
    failedCalls: count,
    orNamed: z.string().min(1),
    hasCall: z.string().min(1),
    proposal: texts,
    noProposal: texts,
    lesson: texts,
    notUnsolved: texts,
  })
  .partial()
  .required({ import: true });
export type ExpectedRun = z.infer<typeof ExpectedRun>;

const Expectation = z.strictObject({ runs: z.array(ExpectedRun).min(1) });

/** What a case expects is wrong in itself. The message names the file and the field. */
export class MalformedExpectation extends Error {}

/** The runs of an `expect.json`. Throws a `MalformedExpectation`. */
export function readExpectation(file: string): ExpectedRun[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new MalformedExpectation(`${file}: no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const parsed = Expectation.safeParse(value);
  if (parsed.success) return parsed.data.runs;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`);
  throw new MalformedExpectation(`${file}: ${problems.join('; ')}`);
}
