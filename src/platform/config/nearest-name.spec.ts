import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nearestName, nearName } from './nearest-name.js';

const NAMES = [
  'GUILDBOOK_HOST',
  'GUILDBOOK_PORT',
  'GUILDBOOK_SKILLS_DIR',
  'GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE',
  'GUILDBOOK_APPROVAL_QUORUM',
];

describe('the nearest name', () => {
  it.each([
    ['GUILDBOOK_POTR', 'GUILDBOOK_PORT'],
    ['GUILDBOOK_SKILL_DIR', 'GUILDBOOK_SKILLS_DIR'],
    ['GUILDBOOK_GHOST', 'GUILDBOOK_HOST'],
    // WEBHOOKS_ALLOW_PRIVATE differs by fewer characters, but is not what was meant.
    ['GUILDBOOK_REQUIRES_HUMAN_APPROVAL', 'GUILDBOOK_APPROVAL_QUORUM'],
    ['GUILDBOOK_', 'GUILDBOOK_HOST'],
  ])('to %s is %s', (name, nearest) => {
    expect(nearestName(name, NAMES)).toBe(nearest);
  });

  it('of a known name is the name itself, and there is none without known names', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.nat(), (names, n) => {
        const name = names[n % names.length] ?? '';
        expect(nearestName(name, names)).toBe(name);
      }),
    );
    expect(nearestName('GUILDBOOK_PORT', [])).toBeUndefined();
  });
});

describe('the name of which another can be a misspelling', () => {
  it.each([
    ['build-bto', 'build-bot'],
    ['Rosa', 'rosa'],
    ['nightly-importers', 'nightly-importer'],
  ])('of %s is %s', (name, near) => {
    expect(nearName(name, ['zeppelin', 'build-bot', 'rosa', 'nightly-importer'])).toBe(near);
  });

  it.each(['ab', 'zzz', 'rita', 'deploy-bot'])('is none of those that differ more: %s', (name) => {
    expect(nearName(name, ['xy', 'rosa', 'build-bot'])).toBeUndefined();
  });
});
