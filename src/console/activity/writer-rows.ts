import type { WriterList } from '../../approvals/queue/writer-record.schema.js';
import { percentText } from '../../platform/base/percent.js';
import { say } from '../texts/texts.js';

/** The writers of lessons with how reviewers decided on them; `rows` is empty without a proposal. */
export function writersView({ window, items }: WriterList) {
  return {
    lead: say('writers.lead', { from: window.from.slice(0, 10), to: window.to.slice(0, 10) }),
    rows: items.map(({ writer, submitted, approved, edited, rejected, shares, reasons }) => ({
      name: writer === 'rules' || writer === 'external' ? say(`writers.${writer}`) : writer,
      submitted,
      approved: shareText(approved, shares?.approved),
      edited: shareText(edited, shares?.edited),
      rejected: shareText(rejected, shares?.rejected),
      why: reasons.map(({ reason, n }) => say('writers.reason', { n, reason: say(`reason.${reason}`) })).join(', '),
    })),
  };
}

const shareText = (n: number, share: number | undefined): string =>
  share === undefined ? String(n) : `${n} (${percentText(share)})`;
