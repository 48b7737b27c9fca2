import type { Product } from '../../access/identity/access.schema.js';
import { type Folders, SETUPS } from './products.js';

/** The skills that an earlier run installed. */
export interface InstalledSkills {
  readonly from: string;
  /** Whether the product still has them. */
  readonly isThere: boolean;
}

/** Why the product has no skills as files. Nothing is wrong with the connection. */
export type WhyNot = 'no remote' | 'nothing published' | 'address not taken' | 'not public';

/** What became of the skills. Hooks and memory tools do not depend on it. */
export type SkillsOutcome =
  /** `ownKept`: skills of the person with a published name, which stay. */
  | { readonly state: 'installed'; readonly from: string; readonly ownKept: readonly string[] }
  /** The person has them already, by hand. `connect` does not touch them, nor does `--undo`. */
  | { readonly state: 'kept'; readonly from: string }
  | { readonly state: 'not installed'; readonly reason: WhyNot }
  | { readonly state: 'failed'; readonly from: string; readonly command: string; readonly said: string };

export interface SkillsTarget {
  readonly folders: Folders;
  readonly product: Product;
  /** The path of the product's program; undefined if it is no longer installed. */
  readonly program: string | undefined;
}

const TOOLS = 'Until then the agent reads them with the memory tools (list_skills, get_skill).';

/** Why there are none, and what would help. */
const REASONS: Readonly<Record<WhyNot, (title: string) => string>> = {
  'no remote': (title) =>
    `not installed in ${title}, because the server names no git remote that it pushes them to. ${TOOLS} An administrator sets one with GUILDBOOK_SKILLS_REMOTE; then run this command again.`,
  'nothing published': () => 'none is published yet. After the first approval, run this command again.',
  'address not taken': (title) =>
    `not installed, because ${title} takes no address like that of the server's git remote. ${TOOLS} docs/use-skills.md says which addresses it takes, and how to install from a clone.`,
  'not public': (title) =>
    `not installed, because the server gives them only to callers with a credential (GUILDBOOK_PUBLIC_SKILLS), and ${title} sends none. The agent reads them with the memory tools (list_skills, get_skill).`,
};

/** What a person reads about the skills after `connect`. */
export function describeSkills(outcome: SkillsOutcome, product: Product): string {
  const { title } = SETUPS[product];
  switch (outcome.state) {
    case 'installed': {
      const own = outcome.ownKept.length === 0 ? '' : ` Your own ${outcome.ownKept.join(', ')} stayed as it was.`;
      return `Skills: installed from ${outcome.from}.${own} ${UPDATES[product]}`;
    }
    case 'kept':
      return `Skills: ${title} has them already, installed by hand. They stay as they are, also with --undo.`;
    case 'not installed':
      return `Skills: ${REASONS[outcome.reason](title)}`;
    case 'failed':
      return `Skills: "${outcome.command}" failed: ${outcome.said}\nHooks and memory tools are connected. ${ADVICE[product]} Then run: guildbook connect ${product}`;
  }
}

const AGAIN = 'To take newer ones, run this command again.';
const UPDATES: Readonly<Record<Product, string>> = {
  'claude-code': AGAIN,
  codex: AGAIN,
  gemini: AGAIN,
  copilot: AGAIN,
  opencode: 'OpenCode takes newer ones by itself.',
};
const ACCESS = 'Make sure that "git clone" of this address works on this machine without a question for a password.';
const ADVICE: Readonly<Record<Product, string>> = {
  'claude-code': ACCESS,
  codex: ACCESS,
  gemini: ACCESS,
  copilot: ACCESS,
  opencode:
    'Make sure that this address can be reached from this machine, and that the settings are as OpenCode reads them.',
};
