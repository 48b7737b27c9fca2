import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import type { SkillEffect } from '../../effect/effect.schema.js';
import type { SkillTimelineData } from '../../effect/skill-timeline.service.js';
import { VERDICT_TEXTS } from '../../evidence/predicate/check-words.js';
import type { JournalEntry } from '../../journal/journal.schema.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { percentOf } from '../../platform/base/percent.js';
import { sumBy } from '../../platform/base/sum.js';
import type { SkillSummary } from '../../skills/catalogue/skills.schema.js';
import type { LatestSkill, SkillPublicationRecord } from '../../skills/catalogue/skills.service.js';
import { filesShown } from '../frame/artifact-lines.js';
import { differenceRows } from '../frame/difference.js';
import { counted, grouped, moment } from '../frame/in-words.js';

const RolloutSet = z.object({ percent: z.number() });
const ROLLOUT_STAGES = [5, 25, 100] as const;
const EVENTS_SHOWN = 40;
/** The size of one chart, in units of its view box. */
const [WIDTH, HEIGHT, GAP] = [240, 36, 3];

export interface SkillFacts {
  readonly skill: LatestSkill;
  readonly end: ReturnType<typeof skillEnd>;
  readonly versions: readonly MemoryEntry[];
  readonly decisions: readonly SkillPublicationRecord[];
  readonly entries: readonly JournalEntry[];
  readonly effect: SkillEffect;
  readonly timeline: SkillTimelineData;
  readonly can: { readonly retire: boolean; readonly roll: boolean };
  readonly now: Date;
}

/** The view of a skill with its history, from the first failing execution on. */
export function skillView({ skill, end, versions, decisions, entries, effect, timeline, can, now }: SkillFacts) {
  const isLive = end === null;
  return {
    ...skillRow(skill, now),
    end,
    can: { retire: isLive && can.retire, restore: end?.replacedBy === null && can.retire, roll: isLive && can.roll },
    files: filesShown(skill.artifact),
    effect: {
      says: effect.says,
      arms: [
        { label: 'with the skill', ...armOf(effect.figures.with) },
        { label: 'without the skill', ...armOf(effect.figures.without) },
      ],
      uses: effect.uses,
    },
    multiples: smallMultiples(timeline),
    span: `${timeline.from.toISOString().slice(0, 10)} to ${timeline.until.toISOString().slice(0, 10)}, in 12 equal parts`,
    stages: ROLLOUT_STAGES,
    history: historyOf(skill.name, { versions, decisions, entries, timeline, now }),
  };
}

function armOf({ executions, rate }: SkillEffect['figures']['with']) {
  const percent = rate === null ? 0 : percentOf(rate);
  return {
    bar: percent * 2,
    says: rate === null ? 'no executions yet' : `${percent} % of ${counted(executions, 'execution')} failed`,
  };
}

/** Five charts over the same intervals. The charts of uses share one scale, those of failures another. */
function smallMultiples({ parts }: SkillTimelineData) {
  const most = Math.max(1, ...parts.flatMap(({ offered, loaded, applied }) => [offered, loaded, applied]));
  const uses = (['offered', 'loaded', 'applied'] as const).map((event) => {
    const counts = parts.map((part) => part[event]);
    const total = sumBy(counts, (n) => n);
    return {
      ...barChart(
        event,
        counts.map((n) => n / most),
      ),
      says: counted(total, 'time'),
      isBad: false,
    };
  });
  const failures = (['without', 'with'] as const).map((side) => {
    const intervals = parts.map((part) => part[side]);
    const [met, all] = [sumBy(intervals, ({ failures }) => failures), sumBy(intervals, ({ executions }) => executions)];
    const shares = intervals.map(({ executions, failures: n }) => (executions === 0 ? 0 : n / executions));
    const says = all === 0 ? 'no executions yet' : `${grouped(met)} of ${counted(all, 'execution')}`;
    return { ...barChart(`failures ${side} it`, shares), says, isBad: true };
  });
  return [...uses, ...failures];
}

function barChart(label: string, shares: readonly number[]) {
  const step = WIDTH / Math.max(1, shares.length);
  const bars = shares.flatMap((share, index) => {
    if (share === 0) return [];
    const height = Math.max(2, Math.round(share * HEIGHT));
    return [{ x: Math.round(index * step), y: HEIGHT - height, height }];
  });
  return { label, bars, width: WIDTH, height: HEIGHT, barWidth: Math.round(step - GAP) };
}

type HistoryFacts = Pick<SkillFacts, 'versions' | 'decisions' | 'entries' | 'timeline' | 'now'>;

/** The events of a skill, oldest first; the middle of a long history is left out. */
function historyOf(name: string, { versions, decisions, entries, timeline, now }: HistoryFacts) {
  const ended = new Map(versions.map(({ version, supersededAt }) => [version, supersededAt]));
  const events = [
    ...(timeline.firstSeen === null ? [] : [firstFailure(timeline.firstSeen, timeline.firstExecution)]),
    ...decisions.map(({ kind, version, proposalId, at, by, commit }) => ({
      at,
      says: `${decisionText(kind, version, by)}, commit ${commitText(commit)}`,
      href: kind === 'publish' && version > 1 ? `/skills/${name}/versions/${version}` : `/review/${proposalId}`,
      link: kind === 'publish' && version > 1 ? 'show changes' : 'Show the review',
    })),
    ...entries.map(({ at, actor, data }) => ({
      at,
      says: `${actor.name} set the rollout to ${RolloutSet.parse(data).percent} % of agents`,
      href: null,
      link: null,
    })),
  ];
  const inOrder = events.sort((a, b) => compareText(a.at, b.at));
  const shown = inOrder.length <= EVENTS_SHOWN ? inOrder : [...inOrder.slice(0, 5), ...inOrder.slice(5 - EVENTS_SHOWN)];
  const live = [...ended].filter(([, at]) => at === null).map(([version]) => version);
  return {
    left: inOrder.length - shown.length,
    events: shown.map((event) => ({ ...event, when: moment(event.at, now) })),
    live: live[0] ?? null,
  };
}

function decisionText(kind: SkillPublicationRecord['kind'], version: number, by: string): string {
  if (kind === 'retire') return `Retired by ${by}`;
  return `Version ${grouped(version)} ${kind === 'publish' ? `approved by ${by}` : 'restored as approved'}`;
}

const firstFailure = (at: string, execution: string | null) => ({
  at,
  says: 'First failure',
  href: execution === null ? null : `/executions/${execution}`,
  link: execution === null ? null : 'show the execution',
});

/** A version compared with the previous one; undefined for an unknown version. */
export function versionView(name: string, version: number, decisions: readonly SkillPublicationRecord[], now: Date) {
  const published = decisions.filter(({ kind }) => kind === 'publish');
  const at = published.findIndex((decided) => decided.version === version);
  const [before, after] = [published[at - 1], published[at]];
  if (after === undefined) return undefined;
  const [from, to] = [before?.version ?? 0, after.version];
  const patch = createTwoFilesPatch(`v${from}`, `v${to}`, before?.artifact ?? '', after.artifact, '', '');
  return {
    name,
    title: `${name}, version ${grouped(version)}`,
    by: after.by,
    when: moment(after.at, now).says,
    proposalId: after.proposalId,
    difference: {
      rows: differenceRows(patch),
      isSplit: true,
      title: before ? `Changes from version ${grouped(from)} to version ${grouped(to)}` : 'First version',
      before: before ? `Version ${grouped(from)}` : 'no earlier version',
      after: `Version ${grouped(to)}`,
    },
    files: filesShown(after.artifact),
  };
}

/** The verdicts that count as an approval of a retirement. */
const APPROVING = new Set(['approved', 'override']);

/** Who ended a skill, when and why; null for a live skill. `retirement` is the approved proposal, if there was one. */
export function skillEnd(
  { name, ended }: Pick<LatestSkill, 'name' | 'ended'>,
  retirement: ProposalDetails | undefined,
  now: Date,
) {
  if (ended === null) return null;
  const when = moment(ended.at, now);
  const { replacedBy } = ended;
  if (replacedBy !== null && replacedBy !== name) return { when, replacedBy, by: '', why: [], proposalId: null };
  const decisions = (retirement?.decisions ?? []).filter(({ verdict }) => APPROVING.has(verdict));
  return {
    when,
    replacedBy: null,
    by: [...new Set(decisions.map((decision) => decision.by))].join(', '),
    why: endReasons(retirement, decisions),
    proposalId: retirement?.id ?? null,
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

/** The size of the chart in a row, in units of its view box. */
const [STEP, ROW_HEIGHT] = [8, 20];

interface AppliedCount {
  readonly skillName: string;
  readonly part: number;
  readonly uses: number;
}

/**
 * The rows of a page of skills. The charts share one scale so that rows can be compared. `endedAt` holds the end of
 * retired and replaced skills by name.
 */
export function skillRows(
  skills: readonly SkillSummary[],
  applied: readonly AppliedCount[],
  { parts, endedAt }: { readonly parts: number; readonly endedAt: ReadonlyMap<string, string> },
  now: Date,
) {
  const most = Math.max(1, ...applied.map(({ uses }) => uses));
  return skills.map((skill) => {
    const own = applied.filter(({ skillName }) => skillName === skill.name);
    const bars = own.map(({ part, uses }) => {
      const height = Math.max(2, Math.round((uses / most) * ROW_HEIGHT));
      return { x: part * STEP, y: ROW_HEIGHT - height, height };
    });
    const n = sumBy(own, ({ uses }) => uses);
    const end = endedAt.get(skill.name);
    return {
      ...skillRow(skill, now),
      ended: end === undefined ? null : moment(end, now).says,
      bars,
      width: parts * STEP,
      height: ROW_HEIGHT,
      uses: n,
    };
  });
}

const commitText = (commit: string | null | undefined): string => commit?.slice(0, 10) ?? 'not in git yet';

const since = (at: string | null, now: Date): string =>
  at === null ? ' when it was approved' : ` since ${moment(at, now).says}`;

/** A skill as a row of the list. */
function skillRow(skill: SkillSummary, now: Date) {
  const { name, version, discovery, proposalId, approvedBy, approvedAt, applicationCount, lastAppliedAt } = skill;
  return {
    name,
    version,
    discovery,
    proposalId,
    approvedBy,
    approved: moment(approvedAt, now).says,
    used: applicationCount,
    last: lastAppliedAt === null ? '' : moment(lastAppliedAt, now).says,
    percent: skill.percent,
    onlyOwner: skill.onlyOwner,
    evidence:
      skill.check && `${VERDICT_TEXTS[skill.check.verdict]}${since(skill.check.since, now)}: ${skill.check.says}`,
    commit: commitText(skill.publication.commit),
  };
}
