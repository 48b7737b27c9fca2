import { join } from 'node:path';
import { importFiles } from '../../src/cli/commands/import.js';
import { transcriptFiles } from '../../src/cli/sources/transcript-files.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import type { TestApplication } from './application.js';

/** Imports the sample fleet, waits for its lessons and runs one cycle. */
export async function sampleFleet(app: TestApplication): Promise<void> {
  const files = await transcriptFiles([join(PROJECT_ROOT, 'examples', 'sample-fleet')]);
  await importFiles(app.admin, files, { agentPer: 'project' });
  await app.settled();
  await app.admin.evolver.run(false);
}
