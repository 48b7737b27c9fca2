import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { OBSERVATION_VERSION } from '../../src/capture/observations/observation.js';
import { observeForStorage } from '../../src/capture/store/stored-observations.js';
import { TranscriptReader } from '../../src/cli/server/transcripts.js';
import { transcriptFiles } from '../../src/cli/sources/transcript-files.js';
import { canonicalJson, sha256 } from '../../src/platform/base/canonical-json.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';

/** The result of these rules for the sample fleet. Change it only together with the version. */
const MADE = { version: 15, sha256: '1a42ce13fc0d8f317dd51a68a7cb5f1319e7bf32d271219fdc02fc0886509714' };

it('changed observation rules have a new version, so that stored observations are computed again', async () => {
  const reader = new TranscriptReader({ agentPer: 'file' });
  const bodies: unknown[] = [];
  for (const file of (await transcriptFiles([join(PROJECT_ROOT, 'examples', 'sample-fleet')])).sources)
    for (const { report } of (await reader.read(file)).reports) {
      const who = { id: 'id', agentId: 'agent', agentName: 'agent', owner: 'owner', origin: 'origin' };
      bodies.push(observeForStorage({ ...who, rootExecutionKey: 'id', report, finishedAt: report.finishedAt }).body);
    }
  expect(bodies.length).toBeGreaterThan(40);
  expect({ version: OBSERVATION_VERSION, sha256: sha256(canonicalJson(bodies)) }).toEqual(MADE);
});
