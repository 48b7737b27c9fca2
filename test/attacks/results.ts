import type { Attempt } from './attack.js';

/** The attempts of one section on one database; `failure` if the section itself ended with an error. */
export interface SectionResult {
  readonly section: string;
  readonly database: string;
  readonly attempts: readonly Attempt[];
  readonly seconds: number;
  readonly failure?: string;
}

/** One line for each section and database, then one for each attempt that went through or section that failed. */
export function tableOf(results: readonly SectionResult[]): string {
  const rows = results.map(({ section, database, attempts, seconds, failure }) => [
    section,
    database,
    String(attempts.length),
    String(through(attempts).length),
    failure === undefined ? `${seconds.toFixed(1)} s` : 'FAILED',
  ]);
  const lines = [['section', 'database', 'attempts', 'through', 'time'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const table = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const faults = results.flatMap(({ section, database, attempts, failure }) => [
    ...through(attempts).map(({ name, detail }) => `THROUGH  ${section}, ${database}: ${name}: ${detail}`),
    ...(failure === undefined ? [] : [`FAILED   ${section}, ${database}: ${failure}`]),
  ]);
  return [...table, ...faults].join('\n');
}

/** The closing line as JSON. */
export function summaryOf(results: readonly SectionResult[]): { attempts: number; through: number; failed?: number } {
  const attempts = results.flatMap((result) => result.attempts);
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  return { attempts: attempts.length, through: through(attempts).length, ...(failed === 0 ? {} : { failed }) };
}

function through(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ outcome }) => outcome === 'through');
}
