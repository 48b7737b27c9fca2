import { argumentsOf, isInstance } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { unobservedCommands } from '../../evidence/calls/observed-spans.js';
import { fills } from '../../evidence/calls/placeholder.js';
import type { LessonEvidence } from '../../evidence/gates/dossier-evidence.js';
import { EvidenceText } from '../../evidence/gates/evidence-text.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { isKnownProgram } from '../../untrusted/danger/dangers-in-command.js';

const SPAN = /`([^`]{1,600})`/g;

/** A text that describes: what is no observed call is quoted instead of shown as one. */
export const describingText = (text: string, calls: ObservedCalls): string =>
  text.replace(SPAN, (span, code: string) =>
    unobservedCommands(span, calls, 'anywhere').length === 0 ? span : quoted(code),
  );

/**
 * A text that advises. A command that lacks only options and values is written as it was seen to work; a name, an error or the value
 * of an argument that the evidence holds is quoted, because it is no command. Any other code stays, and what was not seen
 * to work takes the text out.
 */
export function advisingText(text: string, calls: ObservedCalls, evidence: LessonEvidence): string {
  const known = new EvidenceText(evidence.dossierText);
  const errors = new EvidenceText(evidence.errors.join('\n'));
  return text.replace(SPAN, (span, code: string) => {
    if (unobservedCommands(span, calls).length === 0) return span;
    const isName = !/[\s<>-]/.test(code) && !isKnownProgram(code) && known.holdsWord(code);
    const isError = /^\w{0,60}(?:Error|Exception|Warning)\b/.test(code) && errors.holdsVerbatim(code);
    return isName || isError || isArgument(code, calls) ? quoted(code) : `\`${completedCommand(code, calls)}\``;
  });
}

const quoted = (code: string): string => `"${code.replaceAll('"', "'")}"`;

/** The value of an argument of a tool: an SQL statement, a name. */
const isArgument = (code: string, { worked }: ObservedCalls): boolean =>
  worked
    .filter(({ tool }) => tool !== 'shell')
    .some(({ call }) =>
      [...(argumentsOf(call)?.values() ?? [])].some((value) => !/^</.test(code) && fills(code, value)),
    );

const OPTION = /^--?[A-Za-z][\w-]*(?:=[\w.-]*)?$/;
/** An operand with a placeholder in it, which a reader fills in; no operator, quote or substitution. */
const OWN_VALUE = /^(?!-)[\w./:@-]*<[a-z][a-z0-9 -]{0,29}>(?:[\w./:@-]|<[a-z][a-z0-9 -]{0,29}>)*$/;

/**
 * The command as a call that worked shows it, if it is the beginning of one and lacks only options and the reader's own
 * values: what is recommended is text of the evidence. Otherwise the command itself.
 */
function completedCommand(command: string, { worked }: ObservedCalls): string {
  const words = wordsOfLine(command);
  for (const { tool, call } of worked.filter(({ tool: name }) => name === 'shell')) {
    const seen = wordsOfLine(call);
    const rest = seen.slice(words.length);
    const isLacking = rest.length > 0 && rest.every((word) => OPTION.test(word) || OWN_VALUE.test(word));
    if (words.length < 2 || !isLacking) continue;
    if (isInstance({ tool, call: command }, { tool, call: seen.slice(0, words.length).join(' ') }))
      return [command, ...rest].join(' ');
  }
  return command;
}
