import type { SummaryMaterial, SummaryText } from '../sessions/entries/session-memory.schema.js';
import { summaryByModel } from '../sessions/entries/session-summary.js';

export interface Summariser {
  /** Writes the summary, for instance with a model. `signal` aborts at the time limit. */
  readonly summarise: (material: SummaryMaterial, signal: AbortSignal) => Promise<SummaryText>;
  readonly timeoutMs: number;
}

/**
 * Returns the summary by the caller's function, redacted; undefined without one, if it fails, if it takes longer than
 * its limit, or if its answer is no summary. It never keeps a session from closing.
 */
export async function summaryWithin(
  summariser: Summariser | undefined,
  material: SummaryMaterial,
): Promise<SummaryText | undefined> {
  if (summariser === undefined) return undefined;
  const limit = new AbortController();
  const timer = { id: undefined as NodeJS.Timeout | undefined };
  const timedOut = new Promise<undefined>((resolve) => {
    timer.id = setTimeout(() => {
      limit.abort();
      resolve(undefined);
    }, summariser.timeoutMs);
  });
  try {
    const written = await Promise.race([callOf(summariser, material, limit.signal), timedOut]);
    return written === undefined ? undefined : summaryByModel(written);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer.id);
  }
}

/** A function that throws at once is one that fails. */
async function callOf({ summarise }: Summariser, material: SummaryMaterial, signal: AbortSignal): Promise<SummaryText> {
  return summarise(material, signal);
}
