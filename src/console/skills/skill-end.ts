import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import type { LatestSkill } from '../../skills/catalogue/skills.service.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';

/** Whoever let a retirement happen: those who approved it, or gave a half of an override. */
const APPROVING = new Set(['approved', 'override']);

/** How a skill's life ended: by whom, when and why; `retirement` is the item that was decided, where there was one. */
export function skillEnd(
  { name, ended }: Pick<LatestSkill, 'name' | 'ended'>,
  retirement: ProposalDetails | undefined,
  now: Date,
) {
  if (ended === null) return null;
  const { replacedBy } = ended;
  const when = moment(ended.at, now);
  if (replacedBy !== null && replacedBy !== name)
    return {
      ...{ when, title: say('skill.went-on'), says: say('skill.went-on-says', { name: replacedBy, when: when.says }) },
      ...{ why: [], href: `/skills/${replacedBy}`, link: say('skill.went-on-link') },
    };
  const decisions = (retirement?.decisions ?? []).filter(({ verdict }) => APPROVING.has(verdict));
  const by = [...new Set(decisions.map((decision) => decision.by))].join(', ');
  return {
    ...{ when, title: say('skill.retired') },
    says: by === '' ? say('skill.retired-on', { when: when.says }) : say('skill.retired-says', { by, when: when.says }),
    why: endReasons(retirement, decisions),
    href: retirement ? `/review/${retirement.id}` : null,
    link: say('skill.retired-link'),
  };
}

/** The words of whoever decided, of the job that asked, and what somebody did by hand. */
function endReasons(retirement: ProposalDetails | undefined, decisions: ProposalDetails['decisions']): string[] {
  const said = decisions.flatMap(({ reason }) => reason ?? []);
  const asked = retirement?.request?.says;
  const byHand = retirement?.edit ? [say('skill.retired-by-hand')] : [];
  return [...new Set([...said, ...(asked === undefined ? [] : [asked]), ...byHand])];
}
