import { LONGEST_SHOWN_CALL } from '../../evidence/calls/shown-call.schema.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { splitAtCode } from '../../skills/document/markdown-code.js';
import { generaliseCommand, generaliseWith, homeOwnersIn } from '../../untrusted/text/generalise.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';
import type { SkillTexts } from './authorship.js';

export interface GeneralisedTexts<T> {
  readonly proposedSkill: T;
  readonly calls: ObservedCalls | undefined;
}

/**
 * Generalises the texts of a skill together with the observed calls. A command in a text and the observed call that it
 * shows are changed alike, so that the one stays an instance of the other; a home folder named in any of them is removed
 * from all.
 */
export function generaliseTexts<T extends SkillTexts>(
  proposedSkill: T,
  calls: ObservedCalls | undefined,
): GeneralisedTexts<T> {
  const owners = homeOwnersIn({ proposedSkill, calls: calls ?? null });
  // A changed pattern is another predicate; the caller leaves out one that holds private text.
  const { example, predicate, ...texts } = proposedSkill;
  const command = (text: string) => generaliseCommand(text, owners);
  const shown = example && mapStrings(example, command);
  const isShort = ({ call }: { call: string }): boolean => call.length <= LONGEST_SHOWN_CALL;
  const keepsExample =
    shown && [shown.failed, ...shown.between, ...(shown.worked ? [shown.worked] : [])].every(isShort);
  return {
    // The same fields with other strings; only the example may be left out, which is optional.
    proposedSkill: {
      ...mapStrings(texts, (text) => generaliseText(text, owners)),
      ...(keepsExample ? { example: shown } : {}),
      ...(predicate === undefined ? {} : { predicate }),
    } as T,
    calls: calls && {
      worked: mapStrings(calls.worked, command).filter(isShort),
      failed: mapStrings(calls.failed, command).filter(isShort),
    },
  };
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

function generaliseText(text: string, owners: readonly string[]): string {
  let isCode = false;
  return text
    .split('\n')
    .map((line) => {
      if (FENCE.test(line)) isCode = !isCode;
      if (isCode) return generaliseCommand(line, owners);
      return splitAtCode(line)
        .map((part) => (part.isCode ? generaliseCommand(part.text, owners) : generaliseWith(part.text, owners)))
        .join('');
    })
    .join('\n');
}
