import type { Command } from 'commander';
import type { MergeSearch } from '../../consolidate/merges/merges.schema.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { formatCount, oneLine, print, table } from '../terminal/terminal.js';

const OUTCOMES: Readonly<Record<MergeSearch['merges'][number]['outcome'], string>> = {
  submitted: 'proposed',
  dry_run: 'would be proposed',
  pending: 'a proposal about one of the two is pending',
  rejected: 'rejected before',
  changed: 'one of the two changed meanwhile',
  held_back: 'enough merges are pending',
};

interface DryRun {
  readonly dryRun: boolean;
}

/** Adds `skills` to the command `consolidate`. */
export function consolidateSkillsCommand(consolidate: Command, connection: () => ConnectionOptions): void {
  consolidate
    .command('skills')
    .description('propose to merge live skills that say the same')
    .option('--dry-run', 'show the pairs without proposing anything', false)
    .action((options: DryRun, command: Command) => {
      // The parent takes an option of the same name, also after the name of this command.
      const dryRun = options.dryRun || command.parent?.opts<Partial<DryRun>>().dryRun === true;
      return answer(connection(), (client) => client.mergeSkills(dryRun), printMerges);
    });
}

function printMerges({ skills, inRollout, merges }: MergeSearch): void {
  const left = inRollout > 0 ? `; ${formatCount(inRollout, 'skill')} in rollout not compared` : '';
  print(
    `${formatCount(skills, 'live skill')} compared, ${formatCount(merges.length, 'pair')} that say the same${left}.`,
  );
  if (merges.length === 0) return;
  print(
    table(
      ['stays', 'goes', 'outcome', 'proposal'],
      merges.map(({ keep, retire, outcome, proposalId }) => [
        ...[keep.skillName, retire.skillName, OUTCOMES[outcome] ?? outcome, proposalId ?? ''],
      ]),
    ),
  );
  for (const { retire, says } of merges) print(oneLine(`${retire.skillName}: ${says}`));
}
