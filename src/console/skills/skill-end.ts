import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import type { LatestSkill } from '../../skills/catalogue/skills.service.js';
import { moment } from '../frame/times.js';

/** The verdicts that count as an approval of a retirement. */
const APPROVING = new Set(['approved', 'override']);

/** Who ended a skill, when and why; null for a live skill. `retirement` is the approved proposal, if there was one. */
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
      when,
      title: 'Replaced',
      says: `Continued as ${replacedBy}, ${when.says}.`,
      why: [],
      href: `/skills/${replacedBy}`,
      link: 'Show that skill',
    };
  const decisions = (retirement?.decisions ?? []).filter(({ verdict }) => APPROVING.has(verdict));
  const by = [...new Set(decisions.map((decision) => decision.by))].join(', ');
  return {
    when,
    title: 'Retired',
    says: by === '' ? `${when.says}` : `by ${by}, ${when.says}`,
    why: endReasons(retirement, decisions),
    href: retirement ? `/review/${retirement.id}` : null,
    link: 'Show the decision',
  };
}

/**
 * The reasons of the reviewers and of the job that requested it, and whether the file was deleted outside Guildbook.
 */
function endReasons(retirement: ProposalDetails | undefined, decisions: ProposalDetails['decisions']): string[] {
  const given = decisions.flatMap(({ reason }) => reason ?? []);
  const requested = retirement?.request?.says;
  const external = retirement?.edit ? ['A person deleted the file, and a reviewer approved that.'] : [];
  return [...new Set([...given, ...(requested === undefined ? [] : [requested]), ...external])];
}
