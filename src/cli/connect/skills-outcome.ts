import type { Product } from '../../access/identity/access.schema.js';
import type { SyncedSkills } from './product-files.js';
import { type Folders, SETUPS } from './products.js';
import { MAX_LISTED_CHARACTERS } from './skill-files.js';

/** What was copied from the server, by name, and what was not. */
interface SyncSummary extends Pick<SyncedSkills, 'kept' | 'leftOut' | 'problems'> {
  readonly skills: readonly string[];
}

export const summaryOf = ({ skills, kept, leftOut, problems }: SyncedSkills): SyncSummary => ({
  skills: Object.keys(skills).filter((name) => !kept.includes(name)),
  kept,
  leftOut,
  problems,
});

/** The skills that an earlier run installed. */
export interface InstalledSkills {
  readonly from: string;
  /** Whether the product still has them. */
  readonly isThere: boolean;
  /** Missing if the product takes them from a git remote by itself. */
  readonly synced?: SyncSummary;
}

/** What became of the skills. Hooks and memory tools do not depend on it. */
export type SkillsOutcome =
  /** By the product itself, from the server's git remote. */
  | { readonly state: 'installed'; readonly from: string }
  /** Copied from the server. */
  | ({ readonly state: 'synced'; readonly from: string } & SyncSummary)
  /** The person has them already, by hand. `connect` does not touch them, nor does `--undo`. */
  | { readonly state: 'kept'; readonly from: string }
  | { readonly state: 'not installed'; readonly reason: 'nothing published' }
  | { readonly state: 'failed'; readonly from: string; readonly command: string; readonly said: string };

export interface SkillsTarget {
  readonly folders: Folders;
  readonly product: Product;
  /** The path of the product's program; undefined if it is no longer installed. */
  readonly program: string | undefined;
}

const IN_STEP = 'kept up to date at the start of a session';

/** What a person reads about the skills after `connect`. */
export function describeSkills(outcome: SkillsOutcome, product: Product): string {
  const { title } = SETUPS[product];
  switch (outcome.state) {
    case 'installed':
      return `Skills: installed from ${outcome.from}. To take newer ones, run this command again.`;
    case 'synced':
      return describeSynced(outcome);
    case 'kept':
      return `Skills: ${title} has them already, installed by hand. They stay as they are, also with --undo.`;
    case 'not installed':
      return 'Skills: none is published yet. After the first approval, run this command again.';
    case 'failed':
      return `Skills: "${outcome.command}" failed: ${outcome.said}\nHooks and memory tools are connected. ${product === 'opencode' ? 'Make sure that the settings are as OpenCode reads them.' : ACCESS} Then run: guildbook connect ${product}`;
  }
}

/** The skills from the server, and in further lines what is not as published, and why. */
export function describeSynced({ skills, kept, leftOut, problems }: SyncSummary): string {
  const number = skills.length === 0 ? 'none for this agent yet,' : `${skills.length} installed from the server,`;
  return [
    `Skills: ${number} ${IN_STEP}.`,
    ...(kept.length === 0
      ? []
      : [`Kept as on this machine, because a person wrote or edited them: ${kept.join(', ')}.`]),
    ...(leftOut.length === 0
      ? []
      : [
          `Left out, because descriptions may have ${MAX_LISTED_CHARACTERS} characters together: ${leftOut.join(', ')}.`,
        ]),
    ...problems,
  ].join('\n');
}

const ACCESS = 'Make sure that "git clone" of this address works on this machine without a question for a password.';
