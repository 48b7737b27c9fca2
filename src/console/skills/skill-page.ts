import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import type { SkillEffect } from '../../effect/effect.schema.js';
import type { SkillTimelineData } from '../../effect/skill-timeline.service.js';
import type { JournalEntry } from '../../journal/journal.schema.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { percentOf } from '../../platform/base/percent.js';
import { sumBy } from '../../platform/base/sum.js';
import type { LatestSkill, SkillPublicationRecord } from '../../skills/catalogue/skills.service.js';
import { filesShown } from '../frame/artifact-lines.js';
import { differenceRows } from '../frame/difference.js';
import { counted, grouped } from '../frame/quantity.js';
import { moment } from '../frame/times.js';
import type { skillEnd } from './skill-end.js';
import { approvedText, commitText, shareText, skillRow } from './skill-rows.js';

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
    can: { retire: isLive && can.retire, roll: isLive && can.roll },
    files: filesShown(skill.artifact),
    effect: {
      says: effect.says,
      arms: [
        { label: 'with the skill', ...armOf(effect.figures.with) },
        { label: 'without the skill', ...armOf(effect.figures.without) },
      ],
      uses: `offered ${grouped(effect.uses.offered)}, loaded ${grouped(effect.uses.loaded)} and applied ${counted(effect.uses.applied, 'time')} by ${counted(effect.uses.agents, 'agent')}`,
    },
    multiples: smallMultiples(timeline),
    span: `${timeline.from.toISOString().slice(0, 10)} to ${timeline.until.toISOString().slice(0, 10)}, in 12 equal parts`,
    stages: ROLLOUT_STAGES.map((percent) => ({
      percent,
      says: shareText(percent),
      chosen: percent === skill.percent,
    })),
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
    today: live.length > 0 ? `Now: version ${grouped(live[0] ?? 1)} is live` : 'Now: no version is live',
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
    says: approvedText(after.by, after.at, now),
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
