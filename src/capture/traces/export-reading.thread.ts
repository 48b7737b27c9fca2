import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { readExport } from './otel.importer.js';

lowerThreadPriority();

export default readExport;
