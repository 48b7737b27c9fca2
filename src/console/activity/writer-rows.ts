import type { WriterList } from '../../approvals/queue/writer-record.schema.js';
import { percentText } from '../../platform/base/percent.js';
import { REASON_TEXTS } from '../frame/proposal-texts.js';
import { grouped } from '../frame/quantity.js';

/** The writers of lessons with how reviewers decided on them; `rows` is empty without a proposal. */
export function writersView({ window, items }: WriterList) {
  return {
    lead: `What reviewers decided on proposals from ${window.from.slice(0, 10)} to ${window.to.slice(0, 10)}; shares of what was approved or rejected`,
    rows: items.map(({ writer, submitted, approved, edited, rejected, shares, reasons }) => ({
      name: writer === 'external' ? 'edits outside Guildbook' : writer,
      submitted,
      approved: shareText(approved, shares?.approved),
      edited: shareText(edited, shares?.edited),
      rejected: shareText(rejected, shares?.rejected),
      why: reasons.map(({ reason, n }) => `${REASON_TEXTS[reason]} (${grouped(n)})`).join(', '),
    })),
  };
}

const shareText = (n: number, share: number | undefined): string =>
  share === undefined ? String(n) : `${n} (${percentText(share)})`;
