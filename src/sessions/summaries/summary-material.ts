import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { ungroundedText } from '../../evidence/gates/grounding.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { suspicions } from '../../untrusted/text/suspicions.js';
import type { SessionEntry, SummaryText } from '../entries/session-memory.schema.js';
import { summaryByModel } from '../entries/session-summary.js';

/** The calls that a model sees: the first ones say what was asked, the last ones where the session ended. */
const FIRST_CALLS = 10;
const LAST_CALLS = 40;
const MOST_ENTRIES = 40;
/** In UTF-16 code units. */
const LONGEST_TEXT = 300;

export type SummaryRecord = Readonly<Record<string, string>>;

/**
 * What a model sees of a session: the summary by rules, calls with their outcome, and the entries. Pure; every text is
 * redacted and without what names a person, a machine or a network.
 */
export function summaryRecords(
  draft: string,
  report: ExecutionReport | undefined,
  entries: readonly Pick<SessionEntry, 'kind' | 'content'>[],
): SummaryRecord[] {
  const calls = report?.toolCalls ?? [];
  const shown =
    calls.length > FIRST_CALLS + LAST_CALLS ? [...calls.slice(0, FIRST_CALLS), ...calls.slice(-LAST_CALLS)] : calls;
  return [
    { record: 'summary by rules', text: shownText(draft, 1_200) },
    ...shown.map(({ name, action, ok, errorLine, errorMessage }) => ({
      record: 'call',
      tool: shownText(name),
      call: shownText(action),
      outcome: ok ? 'worked' : 'failed',
      ...(ok ? {} : { error: shownText(errorLine ?? errorMessage ?? '') }),
    })),
    ...entries.slice(-MOST_ENTRIES).map(({ kind, content }) => ({ record: kind, text: shownText(content) })),
  ];
}

const shownText = (text: string, most = LONGEST_TEXT): string => clip(generalise(redact(text).text), most);

/**
 * Why the summary of a model cannot be kept, as the ledger of calls says it; undefined if it can. A text that sanitising
 * would change is refused as a whole, and so is one that names what the records do not hold.
 */
export function summaryProblem(written: SummaryText, records: readonly SummaryRecord[]): string | undefined {
  const kept = summaryByModel(written);
  if (kept === undefined) return 'malformed';
  const texts = [written.text, ...written.tags];
  if (texts.some((text) => escapeInvisible(text) !== text)) return 'hidden_text';
  if (texts.some((text) => redact(text).redactions.length > 0)) return 'secret';
  if (suspicions(texts.join('\n')).length > 0) return 'injection';
  if (generalise(written.text) !== written.text) return 'particulars';
  const evidence = records.map((record) => Object.values(record).join('\n')).join('\n');
  return ungroundedText(written.text, evidence) === undefined ? undefined : 'unfounded_name';
}
