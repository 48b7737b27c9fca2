import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sanitiseReport } from '../report/sanitised-report.js';
import { FORMATS, importerFor } from './foreign-formats.js';

const FOLDER = new URL('../../../examples/formats/', import.meta.url).pathname;
const files = readdirSync(FOLDER).sort();
const formatOf = (file: string): string => file.replace(/\.jsonl?$/, '');
/** Not every format has times. */
const CONTEXT = { sessionHint: 'an-example', recordedAt: '2026-03-31T18:00:00.000Z' };
const linesOf = (file: string): string[] => readFileSync(join(FOLDER, file), 'utf8').split('\n').filter(Boolean);

describe('the example files', () => {
  it('are one per imported format', () => {
    expect(files.map(formatOf).sort()).toEqual([...FORMATS].sort());
  });

  it.each(files)('%s is recognised and gives one session: the failed call and the one that worked', (file) => {
    const importer = importerFor(undefined, linesOf(file));
    expect(importer?.format).toBe(formatOf(file));
    const { reports, counts, omitted } = importer?.derive(linesOf(file), CONTEXT) ?? {};
    expect({ reports: reports?.length, badLines: counts?.badLines, omitted }).toEqual({
      reports: 1,
      badLines: 0,
      omitted: [],
    });
    const [report] = reports ?? [];
    expect(report).toMatchObject({
      status: 'completed',
      verification: { outcome: 'none' },
      toolCalls: [
        { action: 'python close.py --month 3', ok: false, errorCategory: 'SyntaxError' },
        { action: 'python3 close.py --month 3', ok: true },
      ],
    });
    expect(report && sanitiseReport(report)).toMatchObject({ usable: true });
  });
});
