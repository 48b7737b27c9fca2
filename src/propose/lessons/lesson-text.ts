import { isGenericTitle } from '../../capture/observations/session-topic.js';
import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { callText, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { oneLine } from '../../untrusted/text/plain-text.js';

/** The longest call that a sentence quotes. The example shows a longer one. */
const LONGEST_QUOTED_CALL = 400;

/** A text of an execution inside a sentence: one line, no code span, no quotation mark that would end the quotation. */
export const inlineText = (text: string, max: number): string =>
  clip(oneLine(text).replaceAll('`', "'").replaceAll('"', "'"), max);

export const quoted = (text: string, max: number): string => `"${inlineText(text, max)}"`;

export const timesText = (n: number): string => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`);

/** The call as a code span; undefined if no sentence can quote it whole. */
export function callSpan(shown: ShownCall): string | undefined {
  const text = callText(shown);
  const fits = text.length <= LONGEST_QUOTED_CALL && !text.includes('`') && oneLine(text) === text;
  return fits ? `\`${text}\`` : undefined;
}

/** What a step asks its reader to do with a call. */
export const verbOf = ({ tool }: ShownCall): string => (tool === 'shell' ? 'Run' : 'Call');

/** The tool, or the program of a line without the change of folder, the assignments and the settings before it. */
export function programName({ tool, call }: ShownCall): string {
  if (tool !== 'shell') return inlineText(tool, 40);
  const steps = call.split(/\s(?:&&|;)\s/, 20);
  const step = steps.find((one) => !/^(?:cd|export|source|set|pushd|which|pwd|echo|\.)\s/.test(one.trim())) ?? call;
  const word =
    step
      .trim()
      .split(/\s/, 20)
      .find((one) => !/^(?:\w{1,60}=|sudo$|<)/.test(one)) ?? step;
  return inlineText(word.split('/').at(-1) ?? word, 40);
}

/** The call as a code span, or a reference to the example, which shows it. */
export const spanOrExample = (shown: ShownCall, which: 'failed' | 'worked'): string =>
  callSpan(shown) ?? `the call that ${which} in the example`;

/** A description must hold no placeholder and no angle bracket: some readers take them for markup. */
export const withoutBrackets = (text: string): string =>
  text.replace(/<([a-z][a-z0-9 -]{0,29})>/g, '$1').replace(/[<>]/g, ' ');

export const descriptionText = (text: string, max: number): string => clip(oneLine(withoutBrackets(text)), max);

/** Where it was seen, as one sentence; empty if nothing is known. */
export function seenIn(environment: readonly EnvironmentFact[], title: string): string {
  const factNamed = (name: string): string | undefined => environment.find((fact) => fact.name === name)?.value;
  const [harness, system, kind] = ['harness', 'operating system', 'project kind'].map(factNamed);
  const versions = environment
    .filter(({ name }) => !/^(?:harness|operating system|project kind|project|repository)$/.test(name))
    .map(({ name, value }) => `${name} ${value}`);
  const parts = [
    ...(harness ? [`in ${harness}`] : []),
    ...(system ? [`on ${system}`] : []),
    ...(versions.length > 0 ? [`with ${versions.join(', ')}`] : []),
    ...(kind ? [`in a ${kind} project`] : []),
    ...(title === '' || isGenericTitle(title) ? [] : [`in the task ${quoted(title, 150)}`]),
  ];
  return parts.length === 0 ? '' : `Seen ${inlineQuotes(parts.join(', '))}.`;
}

/** Sentences hold no line break; code spans in a task's title are no calls. */
const inlineQuotes = (text: string): string => oneLine(text).replaceAll('`', "'");
