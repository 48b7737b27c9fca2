import { sha256 } from '../../../src/platform/base/canonical-json.js';

/** The same id for the same label, so that two databases are seeded alike. */
export function idOf(label: string): string {
  const hex = sha256(label);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
