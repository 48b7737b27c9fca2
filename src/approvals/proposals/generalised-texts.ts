import { LONGEST_SHOWN_CALL } from '../../evidence/calls/shown-call.schema.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { splitAtCode } from '../../skills/document/markdown-code.js';
import { generaliseCommand, generaliseWith, homeOwnersIn } from '../../untrusted/text/generalise.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';
import type { ProposedSkill } from './proposed-skill.schema.js';

export interface GeneralisedTexts {
  readonly proposedSkill: ProposedSkill;
  readonly calls: ObservedCalls | undefined;
}

/**
 * Generalises the texts of a skill together with the observed calls. A command in a text and the observed call that it
 * shows are changed alike, so that the one stays an instance of the other; a home folder named in any of them is removed
 * from all.
 */
export function generaliseTexts(proposedSkill: ProposedSkill, calls: ObservedCalls | undefined): GeneralisedTexts {
  const owners = homeOwnersIn({ proposedSkill, calls: calls ?? null });
  const { example, ...texts } = proposedSkill;
  const command = (text: string) => generaliseCommand(text, owners);
  const shown = example && mapStrings(example, command);
  const isShort = ({ call }: { call: string }): boolean => call.length <= LONGEST_SHOWN_CALL;
  const keepsExample =
    shown && [shown.failed, ...shown.between, ...(shown.worked ? [shown.worked] : [])].every(isShort);
  return {
    proposedSkill: {
      ...mapStrings(texts, (text) => generaliseText(text, owners)),
      ...(keepsExample ? { example: shown } : {}),
    },
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
