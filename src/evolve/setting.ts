/** Stands for any error, or any action. */
const ANY = '*';

/** Where a lesson from a pattern applies: a failing action with an error, in all projects or in one kind of them. */
export interface Setting {
  /** As it is stored: JSON of tool, action, error and perhaps kind of project. Equal texts are one setting. */
  readonly text: string;
  /** Settings of different families have nothing to do with each other: the tool and its program. */
  readonly family: string;
  /** Undefined where somebody else wrote the text. */
  readonly parts: readonly string[] | undefined;
}

/** How one setting lies to another. `unknown` where one of the two has none. */
export type Relation = 'same' | 'covers' | 'covered' | 'apart' | 'unknown';

export function settingText(tool: string, action: string, error: string, project?: string): string {
  return JSON.stringify([tool, action, error, ...(project ? [project] : [])]);
}

export function readSetting(text: string): Setting {
  const parts = partsOf(text);
  const [tool, action] = parts ?? [];
  return { text, parts, family: parts ? JSON.stringify([tool, programOf(action ?? '')]) : text };
}

export function relationOf(a: Setting | undefined, b: Setting | undefined): Relation {
  if (!a || !b) return 'unknown';
  if (a.text === b.text) return 'same';
  if (a.family !== b.family || !a.parts || !b.parts) return 'apart';
  if (covers(a.parts, b.parts)) return 'covers';
  return covers(b.parts, a.parts) ? 'covered' : 'apart';
}

/** A program with any error covers all that is done with it; what holds in all projects covers one kind of them. */
function covers(
  [, action, error, project]: readonly string[],
  [, other, itsError, itsProject]: readonly string[],
): boolean {
  // What is done for success, of which the error is written with the same sign, is no error of the program.
  const wholeProgram = error === ANY && programOf(other ?? '') === action && itsError?.startsWith(ANY) === false;
  const isWide = wholeProgram || (action === other && error === itsError);
  return isWide && (project === undefined || project === itsProject);
}

const programOf = (action: string): string => action.split(' ')[0] ?? action;

function partsOf(text: string): readonly string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const parts: unknown = JSON.parse(text);
    const isSetting = Array.isArray(parts) && (parts.length === 3 || parts.length === 4);
    return isSetting && parts.every((part) => typeof part === 'string') ? parts : undefined;
  } catch {
    return undefined;
  }
}
