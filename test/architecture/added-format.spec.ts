import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { importerFor } from '../../src/capture/formats/foreign-formats.js';
import { sanitiseReport } from '../../src/capture/report/sanitised-report.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { acmeImporter } from '../support/acme.importer.js';
import { FOREIGN_FORMATS } from '../support/foreign-sessions.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const document = read('docs/import-sessions.md');
const blockIn = (language: string): string => document.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';

describe('the importer that the document shows', () => {
  const fixture = blockIn('json').trim().split('\n');

  it('is one that compiles, with the imports of its place in src', () => {
    expect(blockIn('ts')).toBe(read('test/support/acme.importer.ts').replaceAll('../../src/capture/', '../'));
  });

  it('derives a redacted report from the fixture that the document shows', () => {
    const { reports, counts, omitted } = acmeImporter.derive(fixture);
    expect({ counts: counts.badLines, omitted }).toEqual({ counts: 0, omitted: [] });
    const [report] = reports;
    expect(report).toMatchObject({
      executionId: expect.stringMatching(/^acme:run-7:/),
      toolCalls: [
        { action: 'python close.py', ok: false, errorCategory: 'SyntaxError' },
        { action: 'python3 close.py', ok: true },
      ],
    });
    expect(report && sanitiseReport(report)).toMatchObject({ usable: true });
    expect(JSON.stringify(report)).not.toMatch(/Close the books|closed the month/);
  });

  it('counts a line that is no record, and reads the others', () => {
    const { reports, counts } = acmeImporter.derive(['no JSON', '{"acme":"else"}', ...fixture]);
    expect({ reports: reports.length, badLines: counts.badLines }).toEqual({ reports: 1, badLines: 2 });
  });

  it('recognises its own records, and no importer takes those of another', () => {
    expect(fixture.every((line) => acmeImporter.recognises(JSON.parse(line)))).toBe(true);
    expect(importerFor(undefined, fixture)).toBeUndefined();
    const others = FOREIGN_FORMATS.flatMap(({ byLine, lines }) => {
      const text = lines({ id: 's', task: 'Task', steps: [], answer: 'Done', end: 'normal' });
      return byLine ? text : [text.join('\n')];
    });
    expect(others.some((line) => acmeImporter.recognises(JSON.parse(line)))).toBe(false);
  });
});
