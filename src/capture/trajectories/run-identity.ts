import { sha256 } from '../../platform/base/canonical-json.js';
import { MAX_LINE } from '../importers/import-tally.js';
import type { ProductSession } from '../importers/product-session.js';
import { repositoryLabel } from '../report/repository-label.js';

/** The id of an instance of a benchmark: owner, name and number of a change, such as `django__django-11099`. */
const INSTANCE = /^([\w.-]{1,60}?)__([\w.-]{1,60})-\d{1,10}$/;

/** The name of a trajectory's file without what its writer adds: `django__django-11099.traj`. */
export const instanceOfFile = (hint: string | undefined): string | undefined => hint?.replace(/\.traj$/, '');

/**
 * Names a session after its instance. One instance is run many times, so the id of the run has a hash of its first reply,
 * with the time that this took; it stays the same while the file grows. `last`: what changes with every record.
 */
export function nameRun(
  session: ProductSession,
  name: string,
  { first, last }: Record<'first' | 'last', unknown>,
): void {
  session.id = `${name}-${hashOf(first)}`;
  session.lastId = hashOf(last);
}

/** The instance of a benchmark is the task, and names its repository. Any other name says neither. */
export function nameInstance(session: ProductSession, instance: string | undefined): void {
  const [id, owner, name] = INSTANCE.exec(instance ?? '') ?? [];
  if (id === undefined || name === undefined) return;
  session.taskId = id;
  session.repository = repositoryLabel(`${owner}/${name}`);
  session.project = name;
}

/** Where the images of benchmarks and sandboxes put whatever they work on: no folder of a project. */
const CONTAINER = /^\/(?:testbed|app|workspace(?:\/project)?|home\/openhands|root|tmp)?\/?$/;

/** The working directory, unless it is one that every container has. */
export const folderOf = (folder: string | undefined): string | undefined =>
  folder === undefined || CONTAINER.test(folder) ? undefined : folder;

const hashOf = (value: unknown): string => sha256(JSON.stringify(value) ?? '').slice(0, 16);

const LATEST = Date.UTC(9999, 0);

/** The instant in ISO 8601 of seconds since 1970, or of a text. A text without an offset is taken as UTC. */
export function instantOf(value: unknown): string | undefined {
  const time =
    typeof value === 'number'
      ? value * 1000
      : typeof value === 'string'
        ? Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
        : Number.NaN;
  return time >= 0 && time < LATEST ? new Date(time).toISOString() : undefined;
}

/** One document over several lines, which can be a list, or a list in one that is too long for a record. */
export const isListStart = (line: string): boolean =>
  /^[[{]$/.test(line) || (line.length > MAX_LINE && line.startsWith('['));
