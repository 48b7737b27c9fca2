import type { ModelWords } from '../../propose/model/model-words.schema.js';
import { presentableError } from '../dossiers/presentable-call.js';
import type { Draft } from '../drafts/draft.js';
import { plainErrorClass } from '../drafts/plain-text.js';
import type { DraftText } from '../drafts/wording.js';
import type { Proportion } from '../statistics/wilson.js';

/** The limits of a proposal's notes and rationale. */
const MAX_GOTCHAS = 10;
const MAX_RATIONALE = 2_000;
const TRIED_SHOWN = 5;

/** Returns a text with the words of a model. Condition, action, steps, figures and warnings stay unchanged. */
export function applyModelWords(text: DraftText, { title, discovery, why, notes }: ModelWords): DraftText {
  const rationale = `${asSentence(why)} ${text.rationale}`;
  return {
    ...text,
    title,
    discovery,
    rationale: rationale.length <= MAX_RATIONALE ? rationale : text.rationale,
    gotchas: [...text.gotchas, ...notes.map(asSentence)].slice(0, MAX_GOTCHAS),
  };
}

const asSentence = (text: string): string => (/[.!?]["')]?$/.test(text) ? text : `${text}.`);

/**
 * Returns what a model is shown of a draft: the words of the rules, and the counts. All texts are those that
 * people are shown; no text of a report appears unchanged.
 */
export function promptRecordsOf({ text, evidence }: Draft): Record<string, string>[] {
  const { condition, action, steps, title, discovery, rationale, gotchas } = text;
  const { counts, chosen, repeat } = evidence;
  return [
    {
      record: 'lesson',
      condition,
      action,
      steps: steps.join('\n'),
      title,
      discovery,
      rationale,
      notes: gotchas.join('\n'),
    },
    {
      record: 'evidence',
      tool: evidence.tool,
      learnedFrom: 'what was done next after a failure',
      about: presentableError(evidence.failingAction),
      errors: evidence.errorClasses.flatMap((name) => plainErrorClass(name) || []).join(', '),
      exampleOfTheError: presentableError(evidence.template),
      seen: `${counts.failures} failures in ${counts.executions} executions of ${counts.agents} agents`,
      theActionWorked: shareOf(chosen.outcome),
      withoutItWorked: shareOf(repeat),
    },
    ...evidence.alternatives.slice(0, TRIED_SHOWN).map((tried) => ({
      record: 'tried',
      how: tried.how,
      action: presentableError(tried.action),
      worked: shareOf(tried.outcome),
    })),
  ];
}

const shareOf = ({ successes, n }: Proportion): string => `${successes} of ${n}`;
