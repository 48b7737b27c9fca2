import { DomainError } from '../../platform/base/domain.errors.js';
import { lossOf } from '../../skills/document/text-blocks.js';
import { type SkillTexts, textsOf } from './authorship.js';

/** The parts that are no texts of their own: the file renders them from their fields. */
const RENDERED: ReadonlySet<string> = new Set(['binding', 'environment', 'example']);

/** The parts whose texts may hold blocks of code. */
const WITH_CODE: ReadonlySet<string> = new Set(['cause', 'action', 'steps', 'gotchas']);

/** Lists the texts that a person changed and that the file cannot hold as they were written, with the reason. */
export function lossesOf(proposedSkill: SkillTexts, before: SkillTexts): string[] {
  const known = new Set(textsOf(before).map(({ part, text }) => `${part} ${text}`));
  return textsOf(proposedSkill)
    .filter(({ part, text }) => !RENDERED.has(part) && !known.has(`${part} ${text}`))
    .flatMap(({ part, number, text }) => {
      const loss = lossOf(text, WITH_CODE.has(part));
      return loss === undefined ? [] : [`${part}${number > 0 ? ` ${number}` : ''} ${loss}`];
    });
}

/** Throws `invalid` if the file would change what a person wrote. */
export function requireKept(proposedSkill: SkillTexts, before: SkillTexts): void {
  const losses = lossesOf(proposedSkill, before);
  if (losses.length > 0)
    throw new DomainError('invalid', 'proposal.text_not_kept', `Not saved: ${losses.slice(0, 5).join('; ')}.`);
}
