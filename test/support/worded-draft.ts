import type { ApproachKind } from '../../src/capture/observations/trial.js';
import type { Case } from '../../src/evolve/cases/case.js';
import { type DraftText, type WordingInput, wordDraft } from '../../src/evolve/drafts/wording.js';
import { wilson } from '../../src/evolve/statistics/wilson.js';

interface Remedy {
  how?: ApproachKind;
  coarse?: string;
}

/** The error of the cases, unless they say otherwise. */
export const SYNTAX = 'SyntaxError: invalid syntax';
export const shell = (call: string) => ({ tool: 'shell', call });

/** A case of another agent on another task. */
export function seen(n: number, failed: string, worked: string, more: Partial<Case> = {}): Case {
  return {
    executionId: `execution-${n}`,
    agentId: `agent-${n}`,
    owner: 'owner',
    origin: `origin-${n}`,
    environment: {},
    failed: shell(failed),
    error: SYNTAX,
    between: [],
    worked: shell(worked),
    changed: [],
    ...more,
  };
}

export const PYTHON = [seen(1, 'python a.py', 'python3 a.py'), seen(2, 'python b.py', 'python3 b.py')];

/** What a lesson is worded from: `python3` in the place of `python`, unless the caller says otherwise. */
export function wordingInput(
  more: Partial<WordingInput> & { remedy?: Remedy; repeats?: [number, number] } = {},
): WordingInput {
  const { remedy = {}, repeats = [0, 4], ...rest } = more;
  return {
    tool: 'shell',
    action: 'python',
    errorClasses: ['SyntaxError'],
    template: SYNTAX,
    chosen: { how: remedy.how ?? 'replace', action: remedy.coarse ?? 'python3' },
    repeat: wilson(...repeats),
    confidence: { value: 0.9 },
    cases: PYTHON,
    ...rest,
  };
}

/** The words of a draft; throws if there are none. */
export function word(more: Parameters<typeof wordingInput>[0] = {}): DraftText {
  const draft = wordDraft(wordingInput(more));
  if (!draft) throw new Error('not worded');
  return draft.text;
}
