import type { ModelWords } from '../../src/propose/model/model-words.schema.js';
import { ANSWERS, type ScriptedAnswer } from './messages-api.js';

/** A model's wording for a fleet in which `python manage.py` fails and `python3 manage.py` works. */
export const WORDS: ModelWords = {
  title: 'Prefer python3 to python for scripts',
  discovery:
    'Use when a script is about to be started with `python`, or has just ended in a SyntaxError: use `python3`.',
  why: 'The older interpreter does not read the syntax of these scripts, and the other one does',
  notes: ['Repeating the same command does not help.'],
};

export const words = (change: Partial<ModelWords> = {}): ScriptedAnswer =>
  ANSWERS.message(JSON.stringify({ ...WORDS, ...change }));
