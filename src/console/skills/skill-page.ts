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
import { differenceRows } from '../texts/difference.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';
import type { skillEnd } from './skill-end.js';
import { skillRow } from './skill-rows.js';

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
        { label: say('skill.with'), ...armOf(effect.figures.with) },
        { label: say('skill.without'), ...armOf(effect.figures.without) },
      ],
      uses: say('skill.uses', { ...effect.uses }),
    },
    multiples: smallMultiples(timeline),
    span: say('skill.span', {
      from: timeline.from.toISOString().slice(0, 10),
      to: timeline.until.toISOString().slice(0, 10),
    }),
    stages: ROLLOUT_STAGES.map((percent) => ({
      percent,
      says: say('skills.percent', { n: percent }),
      chosen: percent === skill.percent,
    })),
    history: historyOf(skill.name, { versions, decisions, entries, timeline, now }),
  };
}

function armOf({ executions, rate }: SkillEffect['figures']['with']) {
  const percent = rate === null ? 0 : percentOf(rate);
  return {
    bar: percent * 2,
    says: rate === null ? say('skill.no-runs') : say('skill.rate', { rate: percent, n: executions }),
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
        say(`skill.${event}`),
        counts.map((n) => n / most),
      ),
      says: say('skill.times', { n: total }),
      isBad: false,
    };
  });
  const failures = (['without', 'with'] as const).map((side) => {
    const intervals = parts.map((part) => part[side]);
    const [met, all] = [sumBy(intervals, ({ failures }) => failures), sumBy(intervals, ({ executions }) => executions)];
    const shares = intervals.map(({ executions, failures: n }) => (executions === 0 ? 0 : n / executions));
    const says = all === 0 ? say('skill.no-runs') : say('skill.met', { met, n: all });
    return { ...barChart(say(`skill.failing-${side}`), shares), says, isBad: true };
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
      says: say(`skill.life-${kind}`, { n: version, by, commit: commit?.slice(0, 10) ?? say('skills.waits') }),
      href: kind === 'publish' && version > 1 ? `/skills/${name}/versions/${version}` : `/review/${proposalId}`,
      link: kind === 'publish' && version > 1 ? say('skill.difference') : say('skill.review'),
    })),
    ...entries.map(({ at, actor, action, data }) => ({
      at,
      says: say(`skill.life.${action}`, { by: actor.name, percent: RolloutSet.parse(data).percent }),
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
    today: live.length > 0 ? say('skill.life-today', { n: live[0] ?? 1 }) : say('skill.life-over'),
  };
}

const firstFailure = (at: string, execution: string | null) => ({
  at,
  says: say('skill.first-seen'),
  href: execution === null ? null : `/executions/${execution}`,
  link: execution === null ? null : say('skill.first-execution'),
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
    title: say('skill.version-title', { name, n: version }),
    says: say('skills.approved-by', { by: after.by, when: moment(after.at, now).says }),
    proposalId: after.proposalId,
    difference: {
      rows: differenceRows(patch),
      isSplit: true,
      title: before ? say('skill.against', { from, to }) : say('skill.first-version'),
      before: before ? say('skill.version-line', { n: from }) : say('skill.nothing-before'),
      after: say('skill.version-line', { n: to }),
    },
    files: filesShown(after.artifact),
  };
}
