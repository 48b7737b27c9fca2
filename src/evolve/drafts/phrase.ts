import type { ErrorKind } from '../../capture/errors/error-kind.js';
import type { ApproachKind } from '../../capture/observations/trial.js';
import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { splitAtPlaceholders } from '../../evidence/calls/placeholder.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { PathRelation } from '../cases/path-relation.js';
import type { ErrorWords } from './error-words.js';

/** What a lesson is worded from: names in plain text, and the forms of the observed calls. */
export interface PhraseInput {
  readonly tool: string;
  /** The failing action and the remedy in plain text, without a placeholder. */
  readonly failing: string;
  readonly remedy: string;
  readonly how: ApproachKind;
  readonly error: ErrorWords;
  readonly failed: ShownCall;
  readonly worked: ShownCall;
  /** The calls that prepared the remedy. */
  readonly steps: readonly ShownCall[];
  readonly relation: PathRelation;
  /** The only word in which most of the calls differ, before and after. */
  readonly pair?: readonly [string, string];
  /** The pair is the whole lesson, whatever else the calls hold. */
  readonly isPairWhole?: boolean;
  /** Calls were seen that differ in this pair only. */
  readonly isPairShown?: boolean;
  /** The lesson is another form of the call: steps between the calls are no part of it. */
  readonly isForm?: boolean;
  /** Several origins share the forms. */
  readonly isShared: boolean;
  /** Repeating was tried often enough to say that it seldom works. */
  readonly repeatFails: boolean;
  /** The lesson covers this kind of error after any command. */
  readonly kind?: ErrorKind;
}

export interface Phrases {
  readonly name: string;
  readonly title: string;
  /** Completes "Use when …"; plain text. */
  readonly when: string;
  /** A sentence for the discovery text; plain text. */
  readonly gist: string;
  /** What can be seen before acting; without a full stop. */
  readonly condition: string;
  readonly action: string;
  readonly steps: readonly string[];
  readonly gotchas: readonly string[];
  /** What overcame the failure; completes "… overcame this failure". */
  readonly remedyLabel: string;
}

/** A call in a sentence: the command line, or the tool with its arguments. */
export function code({ tool, call }: ShownCall): string {
  if (tool === 'shell') return `\`${call}\``;
  return call.startsWith('{') && call.endsWith('}') && call !== '{}' ? `\`${tool}\` with \`${call}\`` : `\`${tool}\``;
}

/** A call by its name: the command line, or the tool alone. */
export const named = (call: ShownCall): string => (call.tool === 'shell' ? code(call) : `\`${call.tool}\``);

/** "Run" a command line, "call" a tool. */
export const verb = ({ tool }: ShownCall): string => (tool === 'shell' ? 'run' : 'call');

const EDITS = /^(?:multi)?(?:edit|write|create|str_replace|apply_patch)/i;

/** The file that a step edits, by its name or its kind; undefined for other steps. */
export function editedFile({ tool, call }: ShownCall): string | undefined {
  const args = tool !== 'shell' && EDITS.test(tool) ? argumentsOf(call) : undefined;
  const path = args?.get('file_path') ?? args?.get('path') ?? args?.get('filename');
  const name = path?.slice(path.lastIndexOf('/') + 1);
  if (name === undefined || name === '') return undefined;
  return name.includes('<') ? `the ${/\.\w{1,8}$/.exec(name)?.[0] ?? 'right'} file` : name;
}

/** What a step does: "run `npm install`", "edit package.json". */
export function doing(step: ShownCall): string {
  const file = editedFile(step);
  return file === undefined ? `${verb(step)} ${named(step)}` : `edit ${file}`;
}

/** A call without placeholders, or undefined if it has one. */
export function literal({ tool, call }: ShownCall): string | undefined {
  return tool === 'shell' && splitAtPlaceholders(call).every(({ isPlaceholder }) => !isPlaceholder) ? call : undefined;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** In a shell, or with a tool. */
export function inTool(tool: string): string {
  return tool === 'shell' ? ' in a shell' : '';
}
