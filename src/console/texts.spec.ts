import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../platform/config.js';
import { marksIn } from './marks.js';
import { say, TEXTS } from './texts.js';

const FOLDER = join(PROJECT_ROOT, 'src', 'console');
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:ts|hbs)$/.test(file) && !file.includes('texts') && !file.endsWith('.spec.ts'))
  .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
  .join('\n');

describe('the texts of the console', () => {
  it('are all there that a template names', () => {
    const named = [...sources.matchAll(/\{\{\{?t '([^']+)'|\(say '([^']+)'/g)].map(([, t, said]) => t ?? said ?? '');
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((key) => TEXTS[key] === undefined)).toEqual([]);
  });

  it('hold nothing that would be marked beside the words of others', () => {
    expect(Object.entries(TEXTS).filter(([, text]) => marksIn(text) > 0)).toEqual([]);
    expect(say('today.waiting', { n: 1_234_567 })).toBe('1,234,567 items wait for a decision');
    expect(marksIn(say('today.waiting', { n: 1_234_567 }))).toBe(0);
  });

  it('count in the right number, and miss nothing that they need', () => {
    expect(say('today.waiting', { n: 1 })).toBe('1 item waits for a decision');
    expect(() => say('today.waiting')).toThrow('needs "n"');
    expect(() => say('no.such.text')).toThrow('there is no text');
  });
});
