import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

const GLOSSARY = `| Term | Meaning | Retired |
|---|---|---|
| delivered | Sent to an agent. | \`told\`, \`hand edit\` |
| timeline | Use over time. | \`SkillCourses\` |
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

describe('the check of the vocabulary', () => {
  it('finds a retired word in text, in identifiers and in names of columns', () => {
    const source =
      'It was told.\nconst toldBefore = 1;\nclass SessionTold {}\nwas_told TOLD_AT\nHand edits, a hand\n * edit';
    expect(uses(source).map((use) => use.split(':')[1])).toEqual(['1', '2', '3', '4', '4', '5']);
  });

  it('leaves words alone that only contain a retired word', () => {
    expect(uses('untold, toldest, a hand, an edit, handedit')).toEqual([]);
  });

  it('finds a retired name where it stands alone, and says the term that takes its place', () => {
    expect(uses('new SkillCourses();\nmySkillCourses')).toEqual(['file.ts:1: "SkillCourses" is retired: timeline']);
  });

  it('finds a citation of a text that is not in the repository, and no RFC', () => {
    expect(uses('Bounded (spec L2).\nSee threats §7.\nRFC 9110 §13.1\nformats 3 rows\nspec 5 % of it')).toEqual([
      'file.ts:1: cites a text that is not in the repository',
      'file.ts:2: cites a text that is not in the repository',
    ]);
  });
});
