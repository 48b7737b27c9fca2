import { describe, expect, it, jest } from '@jest/globals';
import { report } from '../../../test/support/reports.js';
import { ExampleReports, printExamples } from './import-preview.js';

const example = (format: string, name: string, ok: boolean) => ({
  format,
  agent: 'agent',
  report: report({ executionId: name, toolCalls: [{ name: 'Bash', action: 'make', ok }] }),
});
const chosenOf = (...all: ReturnType<typeof example>[]) => {
  const examples = new ExampleReports();
  for (const one of all) examples.add(one);
  return examples.chosen().map(({ report: { executionId } }) => executionId);
};

describe('the examples of a dry run', () => {
  it('have a failed call if there is one, and are of different formats', () => {
    expect(
      chosenOf(
        ...['a1', 'a2', 'a3'].map((name) => example('a', name, false)),
        ...['a4', 'a5'].map((name) => example('a', name, false)),
        example('a', 'a6', false),
        example('b', 'b1', true),
        example('c', 'c1', false),
      ),
    ).toEqual(['a1', 'c1', 'b1']);
  });

  it('are three of one format if there is no other, those with a failed call first', () => {
    expect(chosenOf(example('a', 'a1', true), example('a', 'a2', true), example('a', 'a3', false))).toEqual([
      'a3',
      'a1',
      'a2',
    ]);
  });

  it('show an error without a decisive line in one line', () => {
    const printed: string[] = [];
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    const call = { name: 'Bash', action: 'make', ok: false, errorCategory: 'exit-1', errorMessage: 'Exit code 1\nno' };
    printExamples([{ format: 'a', agent: 'agent', report: report({ toolCalls: [call] }) }]);
    write.mockRestore();
    expect(printed.join('')).toContain('         exit-1: Exit code 1 no\n');
  });

  it('are as many as there are', () => {
    expect(chosenOf(example('a', 'a1', true))).toEqual(['a1']);
    expect(chosenOf()).toEqual([]);
  });
});
