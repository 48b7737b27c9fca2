import { failureShape, reportedCalls } from '../../evolve/evidence/recorded-execution.js';
import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';

/** Reading an example takes as long as reading a call, and each failure compares all of them. */
const SHAPES = new FifoCache<{ readonly of: string; readonly shape: string | undefined }>(20_000);

type Taught = Pick<RecallableMemory, 'id' | 'lesson' | 'scope' | 'provenance'>;

/** The shape of the failure that a memory is about: one failure has one shape. Undefined without an example. */
export function shapeOf({ id, lesson: { example } }: Taught): string | undefined {
  if (example === undefined) return undefined;
  const { failed, error } = example;
  const of = `${failed.tool} ${failed.call}\n${error}`;
  const known = SHAPES.get(id);
  if (known?.of === of) return known.shape;
  const name = failed.tool === 'shell' ? 'Bash' : failed.tool;
  const [call] = reportedCalls({
    toolCalls: [{ name, action: failed.call, ok: false, errorMessage: error, errorLine: error }],
  });
  const shape = call && failureShape(call);
  SHAPES.set(id, { of, shape });
  return shape;
}

/** A lesson that nothing which was tried overcame its failure. */
export const claimsAbsence = ({ lesson: { example }, scope }: Taught): boolean =>
  scope !== 'org' && example?.worked === null;

/** An approved skill, then what evidence verified, then what was seen once, then that nothing helped. */
function authorityOf(memory: Taught): number {
  if (memory.scope === 'org') return 0;
  if (claimsAbsence(memory)) return 3;
  return memory.provenance === 'verified' ? 1 : 2;
}

/**
 * Orders memories about the same failure by what they are, on the places that they have together, and drops the claims
 * that nothing helped where one of the others is a remedy for it.
 */
export function byAuthority<T extends { readonly entry: Taught }>(ranked: readonly T[]): T[] {
  const groups = new Map<string, T[]>();
  for (const one of ranked) {
    const shape = shapeOf(one.entry);
    if (shape !== undefined) groups.set(shape, [...(groups.get(shape) ?? []), one]);
  }
  for (const [shape, group] of groups) {
    const remedies = group.filter(({ entry }) => !claimsAbsence(entry));
    const kept = remedies.length > 0 ? remedies : group;
    groups.set(
      shape,
      kept.sort((x, y) => authorityOf(x.entry) - authorityOf(y.entry)),
    );
  }
  return ranked.flatMap((one) => {
    const shape = shapeOf(one.entry);
    return shape === undefined ? [one] : (groups.get(shape)?.splice(0, 1) ?? []);
  });
}
