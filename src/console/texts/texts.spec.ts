import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../../platform/config/config.js';
import { countHighlights } from './highlights.js';
import { say, TEXTS } from './texts.js';

const FOLDER = join(PROJECT_ROOT, 'src', 'console');
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:ts|hbs)$/.test(file) && !/texts\.ts$/.test(file) && !file.endsWith('.spec.ts'))
  .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
  .join('\n');

describe('the texts of the console', () => {
  it('include every key that a template names', () => {
    const named = [...sources.matchAll(/\{\{\{?t '([^']+)'|\(say '([^']+)'/g)].map(([, t, said]) => t ?? said ?? '');
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((key) => TEXTS[key] === undefined)).toEqual([]);
  });

  it('contain no character that would be highlighted in foreign text', () => {
    expect(Object.entries(TEXTS).filter(([, text]) => countHighlights(text) > 0)).toEqual([]);
    expect(say('dashboard.waiting', { n: 1_234_567 })).toBe('1,234,567 proposals to decide');
    expect(countHighlights(say('dashboard.waiting', { n: 1_234_567 }))).toBe(0);
  });

  it('are the only ones: no template has literal words, and no other folder writes HTML', () => {
    const templates = readdirSync(join(FOLDER, 'templates')).map((file) => join(FOLDER, 'templates', file));
    const own = templates.flatMap((file) => {
      const html = readFileSync(file, 'utf8').replaceAll(/\{\{[^}]*\}\}/g, '');
      // Commands, keys and our name are the same in every language.
      const words = html
        .replaceAll(/<(pre|code|kbd)\b[^>]*>[^<]*(?:<\/?code>)?[^<]*<\/\1>|Guild<\/span>book|Guildbook/g, '')
        .replaceAll(/<[^>]*>/g, ' ');
      const spoken = [...html.matchAll(/ (?:title|aria-label|alt|placeholder)="([^"]*)"/g)].map(([, said]) => said);
      return [words, ...spoken].join(' ').match(/[A-Za-z]{3,}\b(?!:\/\/)/g) ?? [];
    });
    expect(own).toEqual([]);
    const others = readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('console/') && !file.endsWith('.spec.ts'),
    );
    expect(others.length).toBeGreaterThan(300);
    const speaking = others.filter((file) =>
      /<!doctype|<\/(?:p|a|form|html)>|['"]text\/html/.test(readFileSync(join(PROJECT_ROOT, 'src', file), 'utf8')),
    );
    expect(speaking).toEqual([]);
  });

  it('have no noun that stays plural beside a number, and no doubled full stop', () => {
    const nouns =
      /\{[a-z]+\} (?:agents|calls|days|entries|executions|failures|patterns|proposals|skills|tokens|tries|votes|weeks)\b/;
    expect(Object.entries(TEXTS).filter(([, text]) => nouns.test(text))).toEqual([]);
    expect(Object.entries(TEXTS).filter(([, text]) => /(?<!\.)\.\.(?!\.)/.test(text))).toEqual([]);
  });

  it('are all in use', () => {
    const groups = [...sources.matchAll(/`([a-z-]+\.)(?:[a-z.-]*)\$\{|\(key '([a-z-]+)'/g)].map(
      ([, made, keyed]) => made ?? `${keyed}.`,
    );
    const unsaid = Object.keys(TEXTS).filter(
      (key) => !sources.includes(`'${key}'`) && !groups.some((group) => key.startsWith(group)),
    );
    expect(unsaid).toEqual([]);
  });

  it('choose singular or plural by the number, and reject a missing value', () => {
    expect(say('dashboard.waiting', { n: 1 })).toBe('1 proposal to decide');
    expect(say('dashboard.waiting', { n: 0 })).toBe('0 proposals to decide');
    expect(() => say('dashboard.waiting')).toThrow('needs "n"');
    expect(() => say('no.such.text')).toThrow('there is no text');
  });
});
