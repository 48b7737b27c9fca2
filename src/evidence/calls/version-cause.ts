import { readCallWords } from './call-role.js';
import type { EnvironmentFact } from './lesson-parts.schema.js';
import type { ShownCall } from './shown-call.schema.js';

/** The versions of the two programs, if only one of them failed and its version is known. */
export function versionCause(
  failed: ShownCall,
  worked: ShownCall,
  facts: readonly EnvironmentFact[],
): string | undefined {
  if (failed.tool !== 'shell') return undefined;
  const programs = (call: ShownCall): string[] =>
    readCallWords(call.call).flatMap(({ role, text }) => (role === 'program' ? [text] : []));
  const [before, after] = [programs(failed), programs(worked)];
  const from = facts.find(({ name }) => before.includes(name) && !after.includes(name));
  const to = facts.find(({ name }) => after.includes(name) && !before.includes(name));
  // Only of one program: that `python` has a version says nothing about why `pytest` worked.
  const stem = (name: string): string => name.replace(/[\d.]+$/, '');
  if (!from || !after.some((name) => stem(name) === stem(from.name))) return undefined;
  return `\`${from.name}\` is version ${from.value} there${to ? `, \`${to.name}\` is version ${to.value}` : ''}.`;
}
