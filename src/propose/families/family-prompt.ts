import type { FamilyQuestion } from '../../evidence/answers/family-question.js';
import { dossierText } from '../../evidence/dossier/dossier-text.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { fenceAll } from '../../untrusted/text/fence.js';

/** Raise it with every change of the template, of the messages below or of the schema of the answer. */
export const FAMILY_PROMPT_VERSION = 1;

const OPENING = 'One dossier:';
const REWRITE_OPENING =
  'One dossier, the lesson that was written about it, and what its predicate measures instead of what the lesson says. Write a predicate that measures the lesson, with its example and quotes. Repeat the other texts of the lesson; changes to them are not read.';
const CLOSING = 'Answer with the JSON object only.';
const NONCE_DIGITS = 32;

export interface FamilyPrompt {
  /** The same for every family, so that the provider can cache it. */
  readonly system: string;
  readonly user: string;
  /** The dossier as it stands in `user`, before it is fenced. */
  readonly shown: string;
  /** `sha256:` and 64 hexadecimal digits of the whole prompt and of `by`, without the nonce of the fence. */
  readonly hash: string;
}

/**
 * Returns what a model is asked about a family. The same question gives the same bytes, so that a cycle can be replayed:
 * the nonce of the fence is a part of the hash of what it encloses, and no text can be written that holds its own hash.
 * `by`: the provider, the model and the version of the prompt.
 */
export function familyPrompt(
  { system, by }: { readonly system: string; readonly by: string },
  question: Pick<FamilyQuestion, 'dossier' | 'rewrite'>,
): FamilyPrompt {
  const { dossier, rewrite } = question;
  // Two texts that are harmless alone can make a secret in one line.
  const shown = redact(dossierText(dossier)).text;
  const opening = rewrite ? REWRITE_OPENING : OPENING;
  const records = [{ dossier: shown }, ...(rewrite ? [rewriteRecord(rewrite)] : [])];
  const hex = sha256(
    canonicalJson({ by, system, opening, records, closing: CLOSING, earlier: rewrite?.answer ?? null }),
  );
  const user = [opening, fenceAll(records, hex.slice(0, NONCE_DIGITS)), CLOSING].join('\n\n');
  return { system, user, shown, hash: `sha256:${hex}` };
}

function rewriteRecord({ answer, problem }: NonNullable<FamilyQuestion['rewrite']>): Record<string, string> {
  const { title = '', condition = '', steps = [], predicate = null } = answer.lesson ?? {};
  return { lesson: JSON.stringify({ title, condition, steps }), predicate: JSON.stringify(predicate), problem };
}
