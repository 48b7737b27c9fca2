import { describe, expect, it } from '@jest/globals';
import { lessonWriterSuite } from '../../../test/support/lesson-writer-suite.js';
import { writerSample } from '../../../test/support/writer-sample.js';
import { rulesWriter } from './rules-writer.js';

lessonWriterSuite('the rules', { writer: rulesWriter, answerOf: () => undefined, key: '["+python3","python"]' });

describe('the rules', () => {
  it('ask no model, and leave the words to the cases', () => {
    expect(rulesWriter.question(writerSample(), 48)).toBeNull();
    for (const { words, answer } of rulesWriter.write(writerSample()).candidates)
      expect({ words, answer }).toEqual({ words: null });
  });
});
