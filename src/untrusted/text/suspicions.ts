import type { DangerClass } from '../danger/danger.js';
import { dangersInText } from '../danger/dangers-in-text.js';
import { PLACEHOLDER } from './placeholder.js';

/** A hint that a reviewer sees beside a text, and how often it occurs. Never a reason to reject or to accept a text. */
export interface Suspicion {
  readonly kind: SuspicionKind;
  readonly count: number;
}

export type SuspicionKind =
  | 'override'
  | 'role-marker'
  | 'persona'
  | 'addressed-to-reader'
  | 'reviewer-bait'
  | 'prompt-probe'
  | 'download-and-run'
  | 'data-upload'
  | 'destructive-command'
  | 'skipped-check'
  | 'protection-off'
  | 'foreign-source'
  | 'hidden-characters'
  | 'mixed-script'
  | 'link';

const GAP = '[^.!?\\n]{0,40}';
const ORDERS =
  'instructions?|orders|prompts?|rules|tasks?|assignments?|guidelines|directives|context|information|everything|documents?';

/**
 * Patterns by kind, in English and, for `override`, in the most common other languages. Phrases, not single words:
 * lessons legitimately say "you must" and "ignore". No quantifier is unbounded and none nests.
 */
const PATTERNS: readonly (readonly [SuspicionKind, RegExp])[] = [
  [
    'override',
    new RegExp(
      String.raw`\b(?:ignore|disregard|forget|override|bypass|skip|drop|do not (?:follow|look in)|stop following)\b${GAP}\b(?:${ORDERS})\b|\bforget (?:everything|all|about)\b|\b(?:new|change your|additional) (?:instructions?|task|orders)\b(?=.{0,20}[:\-])|\b(?:focus|concentrate) (?:now )?on (?:your|the) new task\b|\bfrom now on\b|\binstead of (?:the|your) (?:task|instructions)\b`,
      'gi',
    ),
  ],
  [
    'override',
    /(?:vergiss|vergessen sie|ignorier(?:e|en sie)?)[^.!?\n]{0,40}(?:all|anweisung|auftr|aufgabe|instruktion|vorher|gesagt)|(?:olvida|ignora)[^.!?\n]{0,30}(?:instruc|anterior|todo)|(?:oublie[rz]?|ignore[rz])[^.!?\n]{0,30}(?:instructions|consignes|tout)|zaboravi[^.!?\n]{0,30}instrukcij/gi,
  ],
  [
    'role-marker',
    /^[ \t>#*]{0,8}(?:system|assistant|human|user|developer)[ \t]{0,3}:|<\|?\/?[ \t]{0,3}(?:im_start|im_end|system|assistant|endoftext|start_header_id|eot_id)[^>\n]{0,20}>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system-reminder|untrusted[a-z-]{0,40}|function_calls|tool_call|instructions?)\b[^>\n]{0,80}>/gim,
  ],
  [
    'persona',
    /\b(?:you are now|act as (?:a|an|if|the)\b|pretend (?:to be|that|you)|role-?play as|you will (?:act|play|assume)|i want you to act)|\b(?:du bist|sie sind) (?:jetzt|nun)\b|\bfungieren\b/gi,
  ],
  [
    'addressed-to-reader',
    /\b(?:you must (?:now|always|never|immediately)|as an? (?:ai|language model|assistant|llm)\b|(?:dear|attention|note to|hey|hello)[ ,:]{1,3}(?:the )?(?:ai|llm|model|agent|assistant|reviewer|claude|gpt|chatgpt|copilot)s?\b|in your (?:response|reply|answer|output)\b|your (?:response|reply|answer|solution|code|algorithm|implementation) (?:must|should)\b|do not (?:tell|inform|mention (?:this|it) to|warn|ask) the (?:user|human|operator|reviewer))/gi,
  ],
  [
    'reviewer-bait',
    /\b(?:reviewers?|approvers?|moderators?|auditors?)[ \t]{0,3}[:,-][ \t]{0,3}(?:please |you (?:can|may|should) )?(?:approve|accept|merge|pass|skip|ignore|publish)|\b(?:please |just |safe to |must be |should be )(?:auto-?)?approved?\b|\b(?:already|pre-?)[ -]?(?:approved|verified|reviewed)\b|\bno (?:human )?review (?:is )?(?:needed|required|necessary)\b|\bapproved[ -]by[ \t]{0,3}:/gi,
  ],
  [
    'prompt-probe',
    /\b(?:show|print|reveal|repeat|output|display|tell|give|return|zeige?|mostra)\b[^.!?\n]{0,40}\b(?:system prompt|prompt[ -]?texts?|your (?:prompts?|instructions|rules)|all (?:your )?prompts?|full prompt|text above|initial instructions)|\bwhat (?:is|was|are) (?:written above|your (?:instructions|system prompt))|prompt-text/gi,
  ],
  [
    'download-and-run',
    /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]{0,300}\|[ \t]{0,5}(?:sudo[ \t]{1,3})?(?:ba|z|da|k)?sh\b|\b(?:curl|wget)\b[^\n|]{0,300}\|[ \t]{0,5}(?:sudo[ \t]{1,3})?(?:python\d?|node|perl|ruby|php)\b|\b(?:bash|sh|eval|source)\b[^\n]{0,20}[<$]\([ \t]{0,3}(?:curl|wget)\b|\biex\b[^\n]{0,80}\b(?:iwr|downloadstring|invoke-webrequest)|\bbase64[ \t]{1,3}(?:-d|-D|--decode)\b[^\n]{0,80}\|[ \t]{0,5}(?:ba)?sh\b/gi,
  ],
  [
    'data-upload',
    /\b(?:curl|wget)\b[^\n]{0,200}(?:\s-[dFT]\b|--data|--form|--upload-file|--post-)|\brequests\.(?:post|put)\(|\b(?:send|post|upload|exfiltrate|forward)\b[^!?\n]{0,60}\b(?:env(?:ironment)? variables?|credentials?|secrets?|api keys?|tokens?|passwords?|cookies?|ssh keys?|\.env\b)|\bsmtplib\b/gi,
  ],
  [
    'destructive-command',
    /\brm[ \t]{1,3}-[a-z]{0,4}[rf][a-z]{0,4}[ \t]{1,3}(?:--[a-z-]{1,30}[ \t]{1,3})?(?:\/|~|\$HOME|\*)|\bmkfs\b|\bdd[ \t][^\n]{0,60}of=\/dev\/|\bos\.remove\(["']\/|:\(\)\{ ?:\|:& ?\};:/gi,
  ],
  // Excludes joiners and variation selectors, which emoji and several scripts need.
  [
    'hidden-characters',
    /(?!\n|\r|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
  ],
  [
    'mixed-script',
    /[A-Za-z][\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορᴀ-ᴥ]|[\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορᴀ-ᴥ][A-Za-z]/gu,
  ],
  [
    'link',
    /\b(?:https?|ftp|data|javascript|file|mailto):[^\s"'<>]{3,200}|\bwww\.[\w-]{1,63}\.|\]\((?!#)[^)\s]{3,200}\)/gi,
  ],
];

/** The longest text that is scanned. For a longer one a reviewer sees hints for the beginning only. */
const MAX_LENGTH = 64 * 1024;

/** True for the kinds of dangerous commands; the others are signs of prompt injection. */
export const isDangerKind = (kind: string): boolean => DANGER_KINDS.has(kind);

/** The hints together with those for dangerous forms that were found elsewhere. */
export function withDangers(found: readonly Suspicion[], dangers: readonly { class: DangerClass }[]): Suspicion[] {
  const counts = new Map(found.map(({ kind, count }) => [kind, count]));
  for (const { class: danger } of dangers) {
    const kind = KIND_OF_DANGER[danger];
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

/** The kinds that words inside our own placeholders could imitate: `[REDACTED:github-token]` sends no token. */
const WITHOUT_PLACEHOLDERS: ReadonlySet<SuspicionKind> = new Set([
  'role-marker',
  'prompt-probe',
  'data-upload',
  'link',
]);
/** Removed text, and the shapes of operands in normalised commands, such as `[file:.py]`. */
const PLACEHOLDERS = new RegExp(
  String.raw`${PLACEHOLDER}|\[(?:(?:file|script):\.[a-z0-9]{1,8}|dir|word|glob|code|text|value|id|hash|var|list|n)\]`,
  'g',
);

export const KIND_OF_DANGER: Readonly<Record<DangerClass, SuspicionKind>> = {
  check: 'skipped-check',
  protection: 'protection-off',
  source: 'foreign-source',
};
const DANGER_KINDS: ReadonlySet<string> = new Set(Object.values(KIND_OF_DANGER));

/**
 * Returns the hints for a reviewer, in the order of the kinds, without kinds that do not occur: phrases addressed to a
 * model or to a reviewer, imitated roles, bait for tools, dangerous commands, hidden characters, links. They never
 * refuse a text: patterns miss many attacks, so the protection is who may write. Only a person verifies a private memory
 * with a hint other than a link. Takes the original text, because `plainText`
 * would remove the hidden characters.
 */
export function suspicions(text: string): Suspicion[] {
  const scanned = text.slice(0, MAX_LENGTH);
  const withoutPlaceholders = scanned.replace(PLACEHOLDERS, '[]');
  const counts = new Map<SuspicionKind, number>();
  const add = (kind: SuspicionKind, count: number): void => {
    if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count);
  };
  for (const [kind, pattern] of PATTERNS) {
    const source = WITHOUT_PLACEHOLDERS.has(kind) ? withoutPlaceholders : scanned;
    add(kind, source.match(pattern)?.length ?? 0);
  }
  return withDangers(
    [...counts].map(([kind, count]) => ({ kind, count })),
    dangersInText(scanned),
  );
}
