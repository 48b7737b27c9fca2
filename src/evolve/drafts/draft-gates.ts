import { callText } from '../../evidence/calls/shown-call.schema.js';
import { evidenceOfDossier } from '../../evidence/gates/dossier-evidence.js';
import type { GatedLesson, GateFinding } from '../../evidence/gates/gated-lesson.js';
import { ungroundedSpans } from '../../evidence/gates/grounding.js';
import { lintFindings } from '../../evidence/gates/lint.js';
import type { Draft } from './draft.js';

/**
 * What grounding and lint refuse in a draft; empty if it may be proposed. The evidence is the dossier with the observed
 * calls and the facts of the environment that the draft rests on. An override that was observed is no reason to refuse: the proposal is critical then, and
 * shows the call.
 */
export function gateFindings(draft: Pick<Draft, 'text' | 'calls' | 'evidence'>): GateFinding[] {
  const { text, calls, evidence } = draft;
  const { title, condition, cause, steps, gotchas, action, example } = text;
  const lesson: GatedLesson = {
    title,
    condition,
    action,
    steps: [...steps].slice(0, MOST_STEPS),
    gotchas: [...gotchas],
    ...(cause === undefined ? {} : { cause }),
    ...(example?.worked ? { example: { before: callText(example.failed), after: callText(example.worked) } } : {}),
  };
  const observed = [...calls.worked, ...calls.failed].map(callText);
  const facts = (text.environment ?? []).map(({ name, value }) => `${name} ${value}`);
  const shown = [...observed, ...facts, title, evidence.failingAction, evidence.template];
  const known = evidenceOfDossier(evidence.dossier, shown.join('\n'));
  const dangers = new Set(evidence.chosen.dangers?.map(({ program, form }) => `${program} ${form}`));
  const isObserved = ({ gate, text: found }: GateFinding): boolean =>
    gate === 'lint' && [...dangers].some((danger) => found.includes(danger) || danger.includes(found));
  return [...ungroundedSpans(lesson, known.dossierText), ...lintFindings(lesson, known)].filter(
    (found) => found.severity === 'refuse' && !isObserved(found),
  );
}

const MOST_STEPS = 20;
