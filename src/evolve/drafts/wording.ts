import type { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import type { ErrorKind } from '../../capture/errors/error-kind.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { skillSlug } from '../../skills/document/slug.js';
import type { EvidenceCounts } from '../evidence/pattern-evidence.js';
import type { ConfidenceEstimate } from '../patterns/confidence.js';
import type { Alternative, Contrast } from '../patterns/contrast.js';
import type { Proportion } from '../statistics/wilson.js';
import { inProject, rightAfter } from './narrower-phrases.js';
import type { Phrases } from './phrase.js';
import { phrasesOf } from './phrases.js';
import { clipAtWord, plainAction, plainErrorClass, plainTemplate } from './plain-text.js';

type ReadonlyProposal = {
  readonly [K in keyof ProposedSkill]: ProposedSkill[K] extends (infer T)[] ? readonly T[] : ProposedSkill[K];
};

/** The text of a draft with the name that it would like. All text is ours or reduced to a small alphabet. */
export interface DraftText extends ReadonlyProposal {
  /** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters. */
  readonly name: string;
  readonly confidence: number;
}

/** What the words are made of: structured evidence, never a text of a report. */
export interface WordingInput {
  tool: string;
  purpose: string;
  /** The failing action. */
  action: string;
  /** The error classes, the most frequent first, and the most frequent template of the first one. */
  errorClasses: readonly string[];
  template: string;
  counts: EvidenceCounts;
  using: number;
  contrast: Contrast;
  estimate: ConfidenceEstimate;
  /** Set for a pattern of any command: the kind of its error. */
  kind?: ErrorKind;
  /** Set for a pattern that holds in one kind of project. */
  project?: ProjectKind;
}

/**
 * Words a pattern by rules. Returns undefined if the pattern has no remedy, since an unsolved problem is never a skill,
 * or if its action cannot be shown without showing a text from outside.
 */
export function wordDraft(input: WordingInput): DraftText | undefined {
  const chosen = input.contrast.chosen;
  const failing = plainAction(input.action);
  const remedy = chosen && plainSteps(chosen.action);
  // Success patterns have their own wording.
  const context = chosen?.following === undefined ? undefined : plainSteps(chosen.following);
  if (!chosen || chosen.how === 'precede' || failing === undefined || remedy === undefined) return undefined;
  if (chosen.following !== undefined && context === undefined) return undefined;
  const error = errorInWords(input);
  const { repeat } = input.contrast;
  const repeatFails = repeat.n >= 3 && repeat.rate < 1 / 3;
  const forms = plainForms(chosen);
  const { tool, kind } = input;
  const { how } = chosen;
  const general = phrasesOf({ tool, failing, remedy, how, error, forms, repeatFails, ...(kind ? { kind } : {}) });
  const inContext = context === undefined ? general : rightAfter(general, context);
  const phrases = input.project ? inProject(inContext, input.project) : inContext;
  return {
    name: skillSlug(phrases.name),
    title: clipAtWord(phrases.title, 120),
    discovery: clipAtWord(`Use when ${phrases.when}. ${phrases.gist}`, 600),
    condition: clipAtWord(phrases.condition, 2_000),
    action: clipAtWord(phrases.action, 2_000),
    rationale: clipAtWord(rationale(input, chosen, phrases, failing), 2_000),
    steps: phrases.steps.map((step) => clipAtWord(step, 500)),
    gotchas: gotchas(input, chosen, phrases).map((gotcha) => clipAtWord(gotcha, 500)),
    tags: tagsOf(input, failing),
    confidence: input.estimate.value,
  };
}

function errorInWords({ errorClasses, template }: WordingInput): string[] {
  const first = plainTemplate(template);
  const classes = errorClasses.map(plainErrorClass).filter((name) => name !== '');
  // The template of the first class says more than its name, and replaces it.
  const names = /[A-Za-z]{3}/.test(first) && !/cut off$/.test(first) ? [first, ...classes.slice(1)] : classes;
  return [...new Set(names)].slice(0, 3);
}

/** Two preparing steps become one command. */
function plainSteps(action: string): string | undefined {
  const steps = action.split(' > ').map(plainAction);
  return steps.every((step) => step !== undefined) ? steps.join(' && ') : undefined;
}

function plainForms(chosen: Alternative): string[] {
  return chosen.forms.flatMap((form) => plainAction(form) ?? []);
}

function rationale(input: WordingInput, chosen: Alternative, { remedyLabel }: Phrases, failing: string): string {
  const { counts, contrast, using } = input;
  const owners = `${counts.owners} ${counts.owners === 1 ? 'owner' : 'owners'}`;
  const days = [counts.firstSeen, counts.lastSeen].map((instant) => instant.slice(0, 10));
  const seen = days[0] === days[1] ? `on ${days[0]}` : `from ${days[0]} to ${days[1]}`;
  const verified = chosen.verified > 0 ? ` In ${chosen.verified} of these the task was verified as done.` : '';
  const repeats =
    contrast.repeat.n === 0
      ? `No agent repeated ${input.kind ? 'the command' : `\`${failing}\``} unchanged.`
      : `Repeating ${input.kind ? 'the command' : `\`${failing}\``} worked ${timesOf(contrast.repeat)}.`;
  const occurrence = input.kind
    ? `${counts.executions} of ${using} executions that did such a thing met it, most often with \`${failing}\`.`
    : `\`${failing}\` failed this way in ${counts.executions} of ${using} executions that used it.`;
  return [
    `${plural(counts.failures, 'failure')} in ${plural(counts.executions, 'execution')} of ${plural(counts.agents, 'agent')}`,
    ` (${counts.distinctAgents} on independent tasks, ${owners}), seen ${seen};`,
    ` ${occurrence}`,
    ` Afterwards ${remedyLabel} worked ${timesOf(chosen.outcome)}`,
    ` (95 % interval ${percent(chosen.outcome.lower)}-${percent(chosen.outcome.upper)} %).`,
    verified,
    ` ${repeats}`,
  ].join('');
}

function gotchas({ counts, using }: WordingInput, chosen: Alternative, phrases: Phrases): string[] {
  const notes = [...phrases.gotchas];
  const failed = chosen.outcome.n - chosen.outcome.successes;
  if (failed > 0) {
    notes.push(
      `${capital(phrases.remedyLabel)} was not enough in ${failed} of ${plural(chosen.outcome.n, 'try', 'tries')}: read the new error before trying anything else.`,
    );
  }
  if (counts.executions * 2 < using) {
    notes.push(`Most executions did not meet this failure (${using - counts.executions} of ${using}).`);
  }
  if (counts.owners === 1) notes.push('All evidence comes from one owner: the cause may be their machines.');
  return notes;
}

function tagsOf({ tool, errorClasses, project }: WordingInput, failing: string): string[] {
  const words = [
    tool,
    project ?? '',
    failing.split(' ')[0] ?? '',
    ...errorClasses.map(plainErrorClass),
    'error pattern',
  ];
  return [
    ...new Set(words.filter((word) => /[a-z0-9]/i.test(word)).map((word) => clipAtWord(skillSlug(word), 60))),
  ].slice(0, 20);
}

function timesOf({ successes, n }: Proportion): string {
  return `${successes} of ${plural(n, 'time')}`;
}

function percent(rate: number): number {
  return Math.round(rate * 100);
}

function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
