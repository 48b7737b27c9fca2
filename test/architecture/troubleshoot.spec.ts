import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { OLDEST_GIT } from '../../src/platform/start/git-version.js';
import { nodeProblem } from '../../src/platform/start/node-version.js';
import { START_PROBLEMS } from '../../src/platform/start/start-problems.js';

const page = readFileSync(join(PROJECT_ROOT, 'docs', 'troubleshoot.md'), 'utf8');
const messagesOfPage = [...page.matchAll(/^\| `(.+?)` \|/gm)].map(([, message]) => message);

/** Stands for whatever a message names; a number that the code knows is in the page. */
const anything = new Proxy<Record<string, string>>({}, { get: () => '…' });
const messages = Object.entries(START_PROBLEMS).map(([code, sentence]): [string, string] => {
  const details = code === 'git.too_old' ? { found: '…', wanted: OLDEST_GIT.join('.') } : anything;
  // Every function takes an object of texts.
  return [code, (sentence as (details: object) => string)(details)];
});

describe('the page on trouble', () => {
  it.each(messages)('has the message of %s', (_code, message) => {
    expect(messagesOfPage).toContain(message);
  });

  it('has the message about the version of Node.js', () => {
    expect(messagesOfPage).toContain(nodeProblem('…'));
  });

  it.each(messages)('describes a problem whose message is one sentence with the way out: %s', (_code, message) => {
    expect(message).toMatch(/: .+\.$/);
    expect(message).not.toMatch(/[.!?] [A-Z]/);
  });
});
