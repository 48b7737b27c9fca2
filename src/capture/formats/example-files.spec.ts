import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sanitiseReport } from '../report/sanitised-report.js';
import { FORMATS, importerFor } from './foreign-formats.js';

const FOLDER = new URL('../../../examples/formats/', import.meta.url).pathname;
const files = readdirSync(FOLDER).sort();
const formatOf = (file: string): string => file.replace(/\.jsonl?$/, '');
const linesOf = (file: string): string[] => readFileSync(join(FOLDER, file), 'utf8').split('\n').filter(Boolean);

describe('the example files', () => {
  it('are one for each format that is imported', () => {
    expect(files.map(formatOf).sort()).toEqual([...FORMATS].sort());
  });

  it.each(files)('%s is known for what it is, and tells of one session: what failed, and what worked next', (file) => {
    const importer = importerFor(undefined, linesOf(file));
    expect(importer?.format).toBe(formatOf(file));
    const { reports, counts, omitted: left } = importer?.derive(linesOf(file), { sessionHint: formatOf(file) }) ?? {};
    expect({ reports: reports?.length, badLines: counts?.badLines, left }).toEqual({
      reports: 1,
      badLines: 0,
      left: [],
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
