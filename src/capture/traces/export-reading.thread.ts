import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { storedIdentifiers } from '../importers/fragment-format.js';
import { readExport } from './otel.importer.js';
import type { ExportTraceRequest } from './otlp.schema.js';

lowerThreadPriority();

interface Input {
  readonly request: ExportTraceRequest;
  /** The key of the identifiers' hashes. */
  readonly key: Uint8Array;
}

export default function readExportOf({ request, key }: Input): ReturnType<typeof readExport> {
  return readExport(request, storedIdentifiers(key));
}
