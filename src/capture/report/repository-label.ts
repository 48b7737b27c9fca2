import { homeOwners } from '../../untrusted/text/paths.js';

const MAX_LENGTH = 2_000;
const NAME = /^[\p{L}\p{N}_.-]{1,60}$/u;

/**
 * `owner/name` of a repository's address or folder, without a scheme, a login, a host and `.git`. A label stays as it is;
 * undefined for an address without an owner and a name, and for a folder right in the home of a person, who is no owner.
 */
export function repositoryLabel(repository: string): string | undefined {
  const bare = repository
    .slice(0, MAX_LENGTH)
    .trim()
    .replace(/[?#].{0,2000}$/s, '')
    .replace(/(?:\.git)?\/{0,3}$/, '');
  const isAddress = /:\/\/|@|^[\w.-]{1,200}:/.test(bare);
  const path = bare
    .replace(/^[A-Za-z+]{1,20}:\/\//, '')
    .replace(/^[^/@]{0,300}@/, '')
    .replace(/^[^/:]{1,255}(?::\d{1,5}(?=\/))?(?:[/:]|$)/, '');
  const parts = (isAddress ? path : bare).split(/[\\/:]+/).filter((part) => part !== '');
  if (!isAddress && parts.length <= 2) return bare === '' ? undefined : bare;
  const label = parts.slice(-2);
  const people = homeOwners(repository);
  const isLabel = label.length === 2 && label.every((part) => NAME.test(part) && !people.includes(part));
  return isLabel ? label.join('/') : undefined;
}
