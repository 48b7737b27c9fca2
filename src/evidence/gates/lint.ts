import { changedSources } from '../../untrusted/danger/changed-sources.js';
import { overridesCheck } from '../../untrusted/danger/check-commands.js';
import type { Danger } from '../../untrusted/danger/danger.js';
import { dangersInCommand } from '../../untrusted/danger/dangers-in-command.js';
import { dangersInText } from '../../untrusted/danger/dangers-in-text.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { isAddress, isHostName } from '../../untrusted/text/hosts.js';
import { plainText } from '../../untrusted/text/plain-text.js';
import { type SuspicionKind, suspicions } from '../../untrusted/text/suspicions.js';
import { adviceIn, assertionsLost, bypassesIn, consentProblemsIn, markupIn, ordersIn } from './advice.js';
import { EvidenceText } from './evidence-text.js';
import {
  advisingParts,
  type GatedLesson,
  type GateFinding,
  gateFinding,
  type LessonPart,
  partsOf,
} from './gated-lesson.js';

/** What was observed: an override that a tool itself named, and hosts that were met, are not the writer's own. */
export interface LintEvidence {
  /** The text of the dossier. */
  readonly dossierText?: string;
  /** Decisive error lines of the failures. */
  readonly errors?: readonly string[];
}

/** Kinds of hints that turn a lesson into an attack on its reader, with the reason to give. */
const REFUSED: Partial<Record<SuspicionKind, string>> = {
  override: 'Tells the reader to disregard other instructions.',
  'role-marker': 'Imitates a message of another role.',
  persona: 'Gives the reader another role.',
  'addressed-to-reader': 'Gives orders to the model that reads it.',
  'reviewer-bait': 'Speaks about its own approval.',
  'prompt-probe': 'Asks for the instructions of the reader.',
  'download-and-run': 'Runs what it downloads.',
  'data-upload': 'Sends data to another machine.',
  'destructive-command': 'Destroys data.',
  'hidden-characters': 'Holds invisible characters.',
  'mixed-script': 'Mixes letters of different scripts in a word.',
};

/** The reason for a host that no evidence shows. */
const UNKNOWN_HOST = 'Names a host that is not in the evidence.';

/** What was done may have been dangerous; only advice to do it again is refused. */
const IS_ACT: ReadonlySet<SuspicionKind> = new Set(['download-and-run', 'data-upload', 'destructive-command']);
const isPast = (part: string): boolean => /^(?:condition|example\.before)/.test(part);

/**
 * Returns what a lesson must not say, by whichever writer: checks that are skipped, protections that are turned off, actions
 * without consent, instructions to its reader, markup, new hosts, secrets. An override that the failing tool names in its
 * own error, or a protection that is turned off in the evidence, is no reason to refuse: the lesson must carry its limit
 * (severity `limit`). A clause that advises against something does not recommend it.
 */
export function lintFindings(lesson: GatedLesson, evidence: LintEvidence = {}): GateFinding[] {
  const known = new EvidenceText(evidence.dossierText ?? '');
  const errors = new EvidenceText((evidence.errors ?? []).join('\n'));
  const lost = lesson.example && assertionsLost(lesson.example.before, lesson.example.after);
  return [
    ...advisingParts(lesson).flatMap((part) => adviceFindings(part, known, errors)),
    ...changedSources(lesson.example?.before ?? '', lesson.example?.after ?? '').map((danger) =>
      dangerFinding('example.after', danger, known, errors),
    ),
    ...(lost ? [refuse('example.after', lost, 'Leaves an assertion out.')] : []),
    ...partsOf(lesson).flatMap((part) => readerFindings(part, known)),
  ];
}

function adviceFindings({ part, text }: LessonPart, known: EvidenceText, errors: EvidenceText): GateFinding[] {
  const advice = part === 'example.after' ? text : adviceIn(text);
  const dangers = [...dangersInText(advice), ...(part === 'example.after' ? dangersInCommand(advice) : [])];
  const distinct = new Map(dangers.map((danger) => [`${danger.program} ${danger.form}`, danger]));
  return [
    ...[...distinct.values()].map((danger) => dangerFinding(part, danger, known, errors)),
    ...bypassesIn(advice).map((found) => refuse(part, found, 'Skips a check or hides that it failed.')),
    ...consentProblemsIn(text).map((found) => refuse(part, found, 'Acts without the consent of a person.')),
  ];
}

function dangerFinding(part: string, danger: Danger, known: EvidenceText, errors: EvidenceText): GateFinding {
  const { class: kind, program, form } = danger;
  const text = `${program} ${form}`;
  if (kind === 'check') return refuse(part, text, 'Skips a check.');
  // only the owner of a branch can say that its history may go
  if (program === 'git' && /\bpush\b/.test(form) && overridesCheck(danger))
    return refuse(part, text, 'Overwrites what others pushed.');
  const options = form.match(/--?[A-Za-z][\w-]{2,60}/g) ?? [];
  if (options.some((option) => errors.holdsWord(option)))
    return limit(part, text, 'The tool offers this override itself: say where it is harmless.');
  if (overridesCheck(danger)) return refuse(part, text, 'Overrides a refusal.');
  if (options.some((option) => known.holdsWord(option)))
    return limit(part, text, 'Turns a protection off: say where it is harmless.');
  return refuse(part, text, kind === 'protection' ? 'Turns a protection off.' : 'Uses a source that was not observed.');
}

/** Findings of any part, because agents and reviewers read all of them. */
function readerFindings({ part, text }: LessonPart, known: EvidenceText): GateFinding[] {
  return [
    ...suspicions(ordersIn(text)).flatMap(({ kind }) => {
      const reason = REFUSED[kind];
      return reason === undefined || (isPast(part) && IS_ACT.has(kind)) ? [] : [refuse(part, text, reason)];
    }),
    ...markupIn(text).map((found) => refuse(part, found, 'Holds markup.')),
    ...hostsIn(text)
      .filter((host) => !known.holdsVerbatim(host))
      .map((host) => refuse(part, host, UNKNOWN_HOST)),
    ...redact(text).redactions.map(({ rule }) => refuse(part, `[REDACTED:${rule}]`, 'Holds a secret.')),
  ];
}

const URL = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s"'`<>)\]/?#]{1,200})/gi;

/** Hosts of addresses, and names of hosts and machines elsewhere. */
function hostsIn(text: string): string[] {
  const plain = plainText(text).slice(0, 20_000);
  const linked = [...plain.matchAll(URL)].map(([, host = '']) => host);
  const named = plain
    .replace(URL, ' ')
    .split(/[^\w.:-]+/)
    .map((word) => word.replace(/^[.:-]{1,9}|[.:-]{1,9}$/g, ''))
    .filter((word) => word.length < 260 && (isHostName(word) || isAddress(word)));
  return [...new Set([...linked, ...named])];
}

const refuse = gateFinding('lint', 'refuse');
const limit = gateFinding('lint', 'limit');
