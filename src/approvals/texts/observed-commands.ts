import type { ObservedCalls } from '../../evidence/calls/lesson-parts.schema.js';
import { isExampleObserved } from '../../evidence/calls/observed-example.js';
import { unobservedCommands } from '../../evidence/calls/observed-spans.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { type Authored, authorOf, type SkillTexts, type WrittenPart } from './authorship.js';
import type { KeptEdit } from './kept-edit.schema.js';

/** What the evidence of a proposal says on its texts. */
interface ObservedEvidence {
  readonly calls?: ObservedCalls | undefined;
  readonly authored?: readonly Authored[] | undefined;
  readonly kept?: KeptEdit | undefined;
}

/**
 * Removes what recommends a command that was not seen to work: steps, the action, the example. Without an action the
 * first step takes its place. Throws `invalid` if nothing to do remains, or if the title or the description names such
 * a command. Text by a person stays, because a person answers for it, unless it was kept from an earlier version; so does everything if the evidence holds no
 * calls, as in a proposal that a person made.
 */
export function withObservedCommands<T extends SkillTexts>(
  proposedSkill: T,
  { calls, authored = [], kept }: ObservedEvidence,
): T {
  if (!calls) return proposedSkill;
  const isAnsweredFor = (part: WrittenPart, text: string): boolean =>
    !kept?.parts.includes(part) && authorOf(authored, { part, text }) !== undefined;
  const unobserved = (part: WrittenPart, text: string, failing?: 'not asked for'): string[] =>
    isAnsweredFor(part, text) ? [] : unobservedCommands(text, calls, failing);
  // These also say when the lesson applies, such as "about to run" what failed.
  for (const part of ['title', 'discovery'] as const) {
    const [command] = unobserved(part, proposedSkill[part], 'not asked for');
    if (command !== undefined) throw unobservedError(command);
  }
  const steps = proposedSkill.steps.filter((step) => unobserved('steps', step).length === 0);
  const [command] = unobserved('action', proposedSkill.action);
  const [first, ...rest] = steps;
  if (first === undefined) throw unobservedError(command ?? unobserved('steps', proposedSkill.steps[0] ?? '')[0] ?? '');
  const acting = command === undefined ? { action: proposedSkill.action, steps } : { action: first, steps: rest };
  if (acting.steps.length === 0) acting.steps = [first];
  const { example, ...others } = proposedSkill;
  const keepsExample =
    example && (isExampleObserved(example, calls) || isAnsweredFor('example', JSON.stringify(example)));
  // Only whole texts and the example were left out, so that it is still a proposed skill of the same kind.
  return { ...others, ...acting, ...(keepsExample ? { example } : {}) } as T;
}

const unobservedError = (command: string): DomainError =>
  new DomainError(
    'invalid',
    'proposal.unobserved_command',
    `The proposal recommends a command that was not seen to work: ${command}`,
  );
