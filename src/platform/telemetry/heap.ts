import { setFlagsFromString } from 'node:v8';

/** Read by V8 at every collection. */
export const HEAP_FLAG = '--heap-growing-percent=50';

/**
 * Lets the heap grow by half between two full collections, where V8 would let a small one quadruple. On a machine
 * that is busy with other things, some of what a long read makes survives until it counts as old, and a server with 90 MB
 * of live data would hold 320. Costs a few more collections, and those only then.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(HEAP_FLAG);
}
