import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { storedIdentifiers } from '../importers/fragment-format.js';
import { readHook } from './hooks.importer.js';
import type { ProductHook } from './products.js';

lowerThreadPriority();

interface Input {
  readonly hook: ProductHook;
  readonly at: Date;
  /** The key of the identifiers' hashes. */
  readonly key: Uint8Array;
}

export default function readHookAt({ hook, at, key }: Input): ReturnType<typeof readHook> {
  return readHook(hook, at, storedIdentifiers(key));
}
