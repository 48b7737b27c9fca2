import { revertNeutralised } from '../../skills/document/neutralise.js';
import {
  NO_GOTCHAS,
  type ParsedSkill,
  type ParseNote,
  type ParseProblem,
  parseSkill,
} from '../../skills/document/parse.js';
import { ProposedSkill } from '../proposals/proposed-skill.schema.js';

export type Amendment =
  | { readonly proposedSkill: ProposedSkill; readonly notes: readonly ParseNote[] }
  | { readonly problems: readonly ParseProblem[] };

/** A proposal, and the file that it was rendered to. */
export interface RenderedSkill {
  readonly proposedSkill: ProposedSkill;
  readonly artifact: string;
}

/**
 * What a hand edit proposes: the live proposal with the texts that the edited file changed. `base` is the version that
 * was edited, which tells what was changed; what was not is as it is live, to the letter.
 */
export function amendmentOf(live: ProposedSkill, base: RenderedSkill, edited: string): Amendment {
  const before = parseSkill(base.artifact);
  const after = parseSkill(edited);
  if ('problems' in before) return before;
  if ('problems' in after) return after;
  const [was, is] = [before.skill, after.skill];
  const text = (field: TextField, now: string): string =>
    is[field] === was[field] ? now : revertNeutralised(is[field]);
  const list = (field: 'steps' | 'gotchas'): readonly string[] =>
    is[field].join('\n') === was[field].join('\n')
      ? live[field]
      : mergedList(was[field], base.proposedSkill[field], is[field]);
  const candidate = {
    title: text('title', live.title),
    discovery: text('description', live.discovery),
    condition: text('condition', live.condition),
    action: text('action', live.action),
    rationale: text('rationale', live.rationale),
    steps: list('steps'),
    gotchas: list('gotchas').filter((gotcha) => gotcha !== NO_GOTCHAS || base.proposedSkill.gotchas.includes(gotcha)),
    tags: is.tags === was.tags ? live.tags : tagsOf(revertNeutralised(is.tags)),
  };
  const proposedSkill = ProposedSkill.safeParse(candidate);
  if (proposedSkill.success)
    return { proposedSkill: proposedSkill.data, notes: [...after.notes, ...droppedEdits(was, is)] };
  return {
    problems: proposedSkill.error.issues.map(({ path, message }) => ({
      line: 1,
      message: `${path.join('.')}: ${message}`,
    })),
  };
}

type TextField = 'title' | 'description' | 'condition' | 'action' | 'rationale';

/** Items that the file had before are the record's own texts; the others are new. */
function mergedList(was: readonly string[], own: readonly string[], is: readonly string[]): string[] {
  const texts = new Map(was.map((shown, index) => [shown, own[index] ?? shown]));
  return is.map((shown) => texts.get(shown) ?? revertNeutralised(shown));
}

const tagsOf = (line: string): string[] =>
  line
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** What Guildbook writes by itself is written anew, whatever stands there. */
function droppedEdits(was: ParsedSkill, is: ParsedSkill): ParseNote[] {
  const before = new Set(was.fixed.map(({ text }) => text));
  const after = new Set(is.fixed.map(({ text }) => text));
  const changed = is.fixed.filter(({ text }) => !before.has(text));
  const gone = was.fixed.filter(({ text }) => !after.has(text));
  const message = 'is written by Guildbook, and a change of it is not carried over';
  if (changed.length > 0) return changed.map(({ line }) => ({ line, message, carried: false }));
  return gone.map(({ line }) => ({ line, message: `line ${line} of the approved file ${message}`, carried: false }));
}
