import { privateErrorLine } from '../../src/capture/analysis/private-call.js';
import { actionFingerprint, episodeFingerprint } from '../../src/capture/observations/fingerprint.js';
import { clip } from '../../src/untrusted/text/clip.js';
import type { ObservedExecution } from '../fidelity/product-lessons.js';

/** A recall reads 50 words; a whole script would leave the error line out. */
const LONGEST_ACTION = 200;

/** A failure of a run that the run overcame, as a query and with the keys that a lesson about it has. */
export interface OvercomeFailure {
  readonly agent: string;
  readonly execution: string;
  /** The action of the failed call, and the decisive line of its error. */
  readonly query: string;
  readonly failureKey: string;
  /** Of each way in which the run overcame it. */
  readonly remedyKeys: readonly string[];
}

/**
 * The failures that an execution overcame: after the failed call, one with the same goal worked. Neither a repetition nor
 * a skipped check overcomes a failure. The keys are those of the product's lessons.
 */
export function overcomeFailures({ observed, report, row }: ObservedExecution): OvercomeFailure[] {
  return observed.episodes
    .filter(({ granularity }) => granularity === 'class')
    .flatMap((episode) => {
      const remedies = episode.trials.filter(
        ({ worked, how, skipsCheck }) => worked && how !== 'repeat' && skipsCheck !== true,
      );
      const failed = report.toolCalls[remedies[0]?.from ?? -1];
      const error = failed && privateErrorLine(failed);
      if (failed === undefined || error === undefined || error === '') return [];
      return [
        {
          agent: row.agentId,
          execution: row.id,
          query: `${clip(failed.action, LONGEST_ACTION)} ${error}`,
          failureKey: episodeFingerprint({ ...episode, granularity: 'template' }),
          remedyKeys: [...new Set(remedies.map(({ how, fine }) => actionFingerprint(how, fine)))],
        },
      ];
    });
}
