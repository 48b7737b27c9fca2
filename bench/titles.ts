import { sha256 } from '../src/platform/base/canonical-json.js';

const VERBS = ['Check', 'Drain', 'Escape', 'Install', 'Migrate', 'Pin', 'Query', 'Quote', 'Retry', 'Rotate', 'Verify'];
const THINGS = ['archive', 'cluster', 'header', 'index', 'ledger', 'module', 'payload', 'queue', 'schema', 'token'];
const WAYS = ['after a timeout', 'before a release', 'by its long name', 'in a container', 'on a slow disk', 'twice'];

/** Returns the n-th title of a seed. All titles of a seed differ, and neighbours are not adjacent in a sorted list. */
export function titleOf(seed: number, n: number): string {
  const digest = sha256(`${seed} ${n}`);
  const pick = (from: readonly string[], at: number) =>
    from[Number.parseInt(digest.slice(at, at + 6), 16) % from.length];
  return `${pick(VERBS, 0)} the ${pick(THINGS, 6)} ${pick(WAYS, 12)} ${n.toString(36)}`;
}
