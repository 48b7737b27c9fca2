/**
 * The versions of Node.js that run Guildbook, as `engines` in package.json says: each at least this one, with the same
 * major version. Only syntax that Node.js 14 knows stands in this file, because it has to run on an old one.
 */
const VERSIONS: readonly (readonly [major: number, minor: number])[] = [
  [20, 19],
  [22, 12],
  [24, 0],
];

export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return VERSIONS.some(([wanted, least]) => major === wanted && minor >= least);
}

/** What is wrong with this version, and the way out; undefined if it is supported. */
export function nodeProblem(version: string): string | undefined {
  if (isSupportedNode(version)) return undefined;
  const names = VERSIONS.map(([major, minor]) => `${major}.${minor}`);
  return `Guildbook needs Node.js ${names.slice(0, -1).join(', ')} or ${names.slice(-1).join('')} or a later release of one of them, and this is ${version}: install one from nodejs.org and start again with it.`;
}

/**
 * Ends this process with one sentence if its Node.js cannot run Guildbook. The first file of a program imports nothing
 * but this one before the call: an old Node.js fails on the syntax of the others, with a message that explains nothing.
 */
export function requireSupportedNode(): void {
  const problem = nodeProblem(process.versions.node);
  if (problem === undefined) return;
  console.error(problem);
  process.exit(1);
}
