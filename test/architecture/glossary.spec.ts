import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

const GLOSSARY = `| Term | Meaning | Retired |
|---|---|---|
| sent | Sent to an agent. | \`sung\`, \`shelf mark\` |
| timeline | Use over time. | \`PaperTrails\` |
| lease | A row. | |`;

const PROGRAM = `
  import { text } from 'node:stream/consumers';
  import { retiredUses, retiredWords } from './scripts/docs/glossary.mjs';
  const { glossary, source } = JSON.parse(await text(process.stdin));
  console.log(JSON.stringify(retiredUses('file.ts', source, retiredWords(glossary))));`;

function uses(source: string): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    input: JSON.stringify({ glossary: GLOSSARY, source }),
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('the glossary check', () => {
  it('finds a retired word in text, in identifiers and in column names', () => {
    const source =
      'It was sung.\nconst sungBefore = 1;\nclass SessionSung {}\nwas_sung SUNG_AT\nShelf marks, a shelf\n * mark';
    expect(uses(source).map((use) => use.split(':')[1])).toEqual(['1', '2', '3', '4', '4', '5']);
  });

  it('ignores words that merely contain a retired word', () => {
    expect(uses('unsung, sungest, a shelf, a mark, shelfmark')).toEqual([]);
  });

  it('finds a retired name as a whole word and reports its replacement', () => {
    expect(uses('new PaperTrails();\nmyPaperTrails')).toEqual(['file.ts:1: "PaperTrails" is retired: timeline']);
  });

  it('finds citations of texts outside the repository, except RFCs', () => {
    expect(
      uses(`Bounded (${'spec'} L2).\nSee ${'threats'} §7.\nRFC 9110 §13.1\nformats 3 rows\nspec 5 % of it`),
    ).toEqual([
      'file.ts:1: cites a text that is not in the repository',
      'file.ts:2: cites a text that is not in the repository',
    ]);
  });
});
