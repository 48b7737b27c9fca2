const MAX_SEGMENTS = 10;
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/**
 * Why a folder of a plan is refused; undefined if it may be used. A plan comes from a caller, so it names a folder below
 * the tuning folder and nothing else: no parent, no root, no drive, no separator of another system.
 */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\\')) return 'must not contain a backslash';
  if (/^[A-Za-z]:/.test(path)) return 'must not begin with a drive letter';
  if (path.startsWith('/') || path.startsWith('~')) return 'must be relative to the tuning folder';
  const segments = path.split('/');
  if (segments.includes('..')) return 'must not name a parent folder';
  if (segments.length > MAX_SEGMENTS || !segments.every((segment) => SEGMENT.test(segment)))
    return `must be up to ${MAX_SEGMENTS} names of letters, digits, "_", "-" and ".", separated by "/"`;
  return undefined;
}
