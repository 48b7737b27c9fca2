import { percentOf } from '../../platform/base/percent.js';
import { callText } from '../calls/shown-call.schema.js';
import type { Dossier } from './dossier.schema.js';

/** The longest text in characters: 1,500 tokens of four characters. */
export const LONGEST_DOSSIER = 6_000;

/** How much an example shows. Each step is shorter than the one before. */
const DETAIL = [
  { examples: 3, later: 4, call: 260, next: 200, error: 300, words: 10 },
  { examples: 3, later: 4, call: 200, next: 120, error: 200, words: 9 },
  { examples: 3, later: 3, call: 160, next: 100, error: 160, words: 8 },
  { examples: 2, later: 3, call: 140, next: 80, error: 140, words: 7 },
  { examples: 1, later: 2, call: 120, next: 60, error: 120, words: 5 },
  { examples: 0, later: 0, call: 0, next: 0, error: 0, words: 4 },
] as const;
type Detail = (typeof DETAIL)[number];
type Contrast = Dossier['inFailed'][number];
type Example = Dossier['examples'][number];
type ExampleCall = Example['failed'];

/**
 * The dossier as text for a terminal and for a model: at most {@link LONGEST_DOSSIER} printable ASCII characters in
 * lines, without backticks. The same dossier gives the same text.
 */
export function dossierText(dossier: Dossier): string {
  let text = '';
  for (const detail of DETAIL) {
    text = linesOf(dossier, detail).filter(isFilled).map(printable).join('\n');
    if (text.length <= LONGEST_DOSSIER) return text;
  }
  return text.slice(0, LONGEST_DOSSIER);
}

const isFilled = (line: string | undefined): line is string => line !== undefined && line !== '';

/** Each line stays one line, whatever a field holds. */
const printable = (line: string): string => line.replace(/[^\x20-\x7e]/g, ' ').replaceAll('`', "'");

function linesOf(dossier: Dossier, detail: Detail): (string | undefined)[] {
  return dossier.kind === 'failure' ? linesOfFailure(dossier, detail) : linesOfRuns(dossier, detail);
}

function linesOfFailure(dossier: Dossier, detail: Detail): (string | undefined)[] {
  const { failures, executions, examined, agents, origins, recovered, sameActionWorked } = dossier;
  return [
    `FAILURE ${JSON.stringify(dossier.signature)}${dossier.value === null ? '' : `, about ${dossier.value}`}`,
    `${plural(failures, 'failure')} in ${executions} of ${plural(examined, 'execution')}; ${plural(agents, 'agent')}, ${plural(origins, 'origin')}`,
    ...headOf(dossier),
    `median position in the execution: ${dossier.position.toFixed(2)}; ${dossier.repeats.toFixed(1)} failures per execution; next call identical: ${dossier.identicalNext}`,
    `calls of the same actions that worked: ${sameActionWorked}`,
    contrastLine('words, failed/worked calls', dossier.inFailed, detail),
    contrastLine('words, worked/failed calls', dossier.inWorked, detail),
    contrastLine('argument keys, failed/worked calls', dossier.keys, detail),
    `recovered (the same action worked within 4 calls): ${recovered} of ${failures}`,
    nextLine(dossier),
    contrastLine('words of the next 3 calls, recovered/others', dossier.afterRecovered, detail),
    contrastLine('words of the next 3 calls, others/recovered', dossier.afterOthers, detail),
    outcomeLine(dossier, 'with the failure', 'without it'),
    ...dossier.examples.slice(0, detail.examples).flatMap((example) => exampleLines(example, detail)),
  ];
}

function linesOfRuns(dossier: Dossier, detail: Detail): (string | undefined)[] {
  const { executions, examined, agents, origins } = dossier;
  return [
    `RUNS ${JSON.stringify(dossier.signature)}`,
    `${executions} of ${examined} judged executions did it; ${plural(agents, 'agent')}, ${plural(origins, 'origin')}`,
    ...headOf(dossier),
    outcomeLine(dossier, 'that did it', 'that did not'),
    contrastLine('actions, ended well/badly', dossier.inWorked, detail),
    contrastLine('actions, ended badly/well', dossier.inFailed, detail),
    ...dossier.examples
      .slice(0, detail.examples)
      .flatMap(({ recovered, before, failed, later }) => [
        `example, ended ${recovered ? 'well' : 'badly'}:`,
        ...[...(before ? [before] : []), failed, ...later.slice(0, detail.later)].map((call) =>
          callLine('call', call, detail.next, detail.error),
        ),
      ]),
  ];
}

function headOf({ harnesses, tools, actions, environment }: Dossier): (string | undefined)[] {
  const counts = (title: string, all: Dossier['tools']): string[] =>
    all.length === 0 ? [] : [`${title} ${all.map(({ name, n }) => `${name} ${n}`).join(', ')}`];
  const head = [...counts('harness', harnesses), ...counts('tools', tools), ...counts('actions', actions)].join('; ');
  const facts = environment
    .filter(({ name }) => name !== 'harness' || harnesses.length === 0)
    .map(({ name, value }) => `${name} ${value}`);
  return [head, facts.length === 0 ? undefined : `environment: ${facts.join(', ')}`];
}

function contrastLine(title: string, all: readonly Contrast[], { words }: Detail): string | undefined {
  if (all.length === 0) return undefined;
  const shown = all.slice(0, words).map(({ word, here, there }) => `${word} ${share(here)}/${share(there)}`);
  return `${title}: ${shown.join(', ')}`;
}

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

const share = (value: number): string => `${percentOf(value)}%`;

function nextLine({ next }: Dossier): string | undefined {
  if (next.length === 0) return undefined;
  const shown = next.map(({ action, n, worked }) => `${action} ${worked} of ${n}`);
  return `next action after the first failure (worked of executions): ${shown.join(', ')}`;
}

function outcomeLine({ outcome }: Dossier, withIt: string, without: string): string | undefined {
  if (outcome === null) return undefined;
  const arm = ({ worked, n }: { worked: number; n: number }): string => `${worked} of ${n}`;
  return `executions that ended well: ${withIt} ${arm(outcome.with)}, ${without} ${arm(outcome.without)}`;
}

function exampleLines({ recovered, before, failed, later }: Example, detail: Detail): string[] {
  return [
    `example, ${recovered ? 'recovered' : 'not recovered'}:`,
    ...(before ? [callLine('before', before, detail.next, detail.error)] : []),
    callLine('failed', { ...failed, error: null }, detail.call, 0),
    ...(failed.error ? [`  error   ${shortened(failed.error, detail.error)}`] : []),
    ...later.slice(0, detail.later).map((call) => callLine('then', call, detail.next, detail.error)),
  ];
}

function callLine(title: string, { call, ok, error }: ExampleCall, longest: number, longestError: number): string {
  const result = title === 'failed' ? '' : ok === null ? ' -> unknown' : ok ? ' -> worked' : ' -> failed';
  const why = error ? `: ${shortened(error, Math.floor(longestError / 2))}` : '';
  return `  ${title.padEnd(7)} ${call.tool === 'shell' ? 'shell ' : ''}${shortened(callText(call), longest)}${result}${why}`;
}

/** Beginning and end of a long text, without half a placeholder. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, Math.floor((longest * 2) / 3)).replace(/<[a-z0-9 -]{0,30}$/, '');
  const tail = text.slice(text.length - Math.floor(longest / 3)).replace(/^[a-z0-9 -]{0,30}>/, '');
  return `${head} ... ${tail}`;
}
