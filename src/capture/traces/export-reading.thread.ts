import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { storedIdentifiers } from '../importers/fragment-format.js';
import { type ReceivedExport, readReceived } from './received-export.js';

lowerThreadPriority();

interface Input {
  readonly received: ReceivedExport;
  /** The key of the identifiers' hashes. */
  readonly key: Uint8Array;
}

export default function readExportOf({ received, key }: Input): ReturnType<typeof readReceived> {
  return readReceived(received, storedIdentifiers(key));
}
