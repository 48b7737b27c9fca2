import { describe, expect, it } from '@jest/globals';
import { DANGEROUS_FORMS } from './dangers.table.js';

const formsOf = ({ check = [], protection = [], foreign = [], variables = {} }: (typeof DANGEROUS_FORMS)[number]) => [
  ...check,
  ...protection,
  ...foreign,
  ...Object.values(variables).flat(),
];

describe('the table of dangerous forms', () => {
  it('names a source for every row', () => {
    for (const { programs, source } of DANGEROUS_FORMS)
      expect(`${programs}: ${source}`).toMatch(/: (?:.{0,200}(?:https:\/\/|man |manuals?|docs\/|pages))/);
  });

  it('covers more than 60 programs with more than 250 forms', () => {
    const programs = new Set(DANGEROUS_FORMS.flatMap((row) => row.programs.split(' ')));
    expect(programs.size).toBeGreaterThan(60);
    expect(DANGEROUS_FORMS.flatMap(formsOf).length).toBeGreaterThan(250);
  });

  it('has each program in one row, and each form once in its row', () => {
    const programs = DANGEROUS_FORMS.flatMap((row) => row.programs.split(' '));
    expect(programs.filter((program, at) => programs.indexOf(program) !== at)).toEqual([]);
    for (const row of DANGEROUS_FORMS) {
      const forms = formsOf(row);
      expect(forms.filter((form, at) => forms.indexOf(form) !== at)).toEqual([]);
    }
  });
});
