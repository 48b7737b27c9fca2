import { type Authored, WRITTEN_PARTS, type WrittenPart } from '../../approvals/texts/authorship.js';
import type { KeptEdit } from '../../approvals/texts/kept-edit.schema.js';
import { isExampleObserved } from '../../evidence/calls/observed-example.js';
import { unobservedCommands } from '../../evidence/calls/observed-spans.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { clip } from '../../untrusted/text/clip.js';
import type { Draft } from './draft.js';
import { gateFindings } from './draft-gates.js';
import type { DraftText } from './wording.js';

/** An approved lesson of which a person wrote a part. */
export interface EditedForm {
  readonly proposalId: string;
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  readonly texts: Partial<Omit<DraftText, 'name'>>;
  readonly authored: readonly Authored[];
}

/** These say where the lesson was seen and holds, which only the new evidence knows. */
const OF_THE_EVIDENCE: readonly WrittenPart[] = ['binding', 'environment'];
const LONGEST_REASON = 300;

/**
 * Returns the draft with the texts that a person wrote in an approved version of the same lesson: the same remedy
 * against one of the same failures. A part is kept as a whole, if the gates and the law of observed commands let it pass
 * on the new evidence; else the words of its writer stay, and `kept` says why. `forms`: the newest first.
 */
export function withKeptEdit<T extends Draft>(
  draft: T,
  forms: readonly EditedForm[],
): T & { readonly kept?: KeptEdit } {
  const form = forms.find(
    ({ fingerprints, actionFingerprint }) =>
      actionFingerprint === draft.actionFingerprint && fingerprints.some((print) => draft.fingerprints.includes(print)),
  );
  if (!form) return draft;
  const kept: KeptEdit = { from: form.proposalId, parts: [], left: [] };
  let { text } = draft;
  for (const part of WRITTEN_PARTS) {
    const written = form.texts[part];
    if (written === undefined || !form.authored.some((one) => one.part === part)) continue;
    const candidate: DraftText = { ...text, [part]: written };
    const reason = problemOf(part, candidate, { ...draft, text });
    if (reason === undefined) {
      text = candidate;
      kept.parts.push(part);
    } else if (canonicalJson(written) !== canonicalJson(text[part] ?? null)) {
      kept.left.push({ part, reason: clip(reason, LONGEST_REASON) });
    }
  }
  return kept.parts.length + kept.left.length === 0 ? draft : { ...draft, text, kept };
}

/** What the new evidence says against a part; undefined if it supports it. */
function problemOf(part: WrittenPart, text: DraftText, draft: Draft): string | undefined {
  if (OF_THE_EVIDENCE.includes(part)) return 'where it holds follows from the new evidence';
  const [command] = unobservedIn(part, text, draft);
  if (command !== undefined) return `the command was not seen to work: ${command}`;
  if (text.example && part === 'example' && !isExampleObserved(text.example, draft.calls))
    return 'its calls are not among the new evidence';
  const known = new Set(gateFindings(draft).map(saying));
  const found = gateFindings({ ...draft, text: asGated(part, text) }).find((one) => !known.has(saying(one)));
  return found ? `${found.reason} ${found.text}` : undefined;
}

const saying = ({ reason, text }: ReturnType<typeof gateFindings>[number]): string => `${reason} ${text}`;

/** The gates read no description and no reason: these are read as a cause, which has to rest on the evidence. */
function asGated(part: WrittenPart, text: DraftText): DraftText {
  return part === 'discovery' || part === 'rationale' ? { ...text, cause: text[part] } : text;
}

function unobservedIn(part: WrittenPart, { title, discovery, action, steps }: DraftText, { calls }: Draft): string[] {
  if (part === 'title') return unobservedCommands(title, calls, 'not asked for');
  if (part === 'discovery') return unobservedCommands(discovery, calls, 'not asked for');
  if (part === 'action') return unobservedCommands(action, calls);
  return part === 'steps' ? steps.flatMap((step) => unobservedCommands(step, calls)) : [];
}
