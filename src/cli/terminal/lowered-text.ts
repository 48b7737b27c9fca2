import { type LoweredBy, REJECTION_SENTENCES } from '../../approvals/texts/rejection-reason.schema.js';
import { formatCount } from './terminal.js';

const RESEMBLES: Readonly<Record<LoweredBy['resembles'], string>> = {
  remedy: 'the same remedy against other failures',
  action: 'lessons about the same action',
  writer: 'lessons by the same kind of writer',
};

/** Why a proposal came later than its figures say; empty if nothing lowered it. A newer server may know other reasons. */
export function loweredText(lowered: readonly LoweredBy[] | undefined): string {
  const texts = (lowered ?? []).map(({ reason, resembles, rejections }) => {
    const said = reason === 'other' ? 'another reason' : (REJECTION_SENTENCES[reason] ?? reason);
    return `${formatCount(rejections, 'rejection')} of ${RESEMBLES[resembles] ?? resembles} (${said})`;
  });
  return texts.length === 0 ? '' : `lowered by ${texts.join(', ')}`;
}
