import { templateOf } from '../../capture/errors/error-template.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Case } from './case.js';

/** The error that most of the cases have, without names and values. */
export function usualError(cases: readonly Pick<Case, 'error'>[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { error } of cases)
    if (error !== '') counts.set(templateOf(error), (counts.get(templateOf(error)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))[0]?.[0];
}

/** Returns whether an error has this template; a report may hold more of the line than the other. */
export function isOfTemplate(error: string, template: string): boolean {
  const own = templateOf(error);
  return own !== '' && template !== '' && (own.includes(template) || template.includes(own));
}
