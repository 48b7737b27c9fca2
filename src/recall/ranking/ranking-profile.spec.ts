import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { SettingsError } from '../../platform/config/config.errors.js';
import { DEFAULT_PROFILE } from './ranking-profile.schema.js';
import { RankingProfiles, readProfile } from './ranking-profile.service.js';

const folder = mkdtempSync(join(tmpdir(), 'guildbook-profile-'));
const file = join(folder, 'profile.json');
afterAll(() => rmSync(folder, { recursive: true }));

const read = (profile: unknown) => {
  writeFileSync(file, typeof profile === 'string' ? profile : JSON.stringify(profile));
  return readProfile(file);
};
const refusal = (profile: unknown): string => {
  try {
    read(profile);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
  }
  return 'accepted';
};

describe('the ranking profile', () => {
  it('has the numbers of the reference design where the file says nothing', () => {
    expect(DEFAULT_PROFILE).toEqual({
      version: 1,
      name: 'default',
      relevanceWeight: 0.7,
      recencyWeight: 0.3,
      personalBoost: 0.1,
      decayPerHour: 0.01,
      minRelevance: 0.5,
      defaultRelevance: 1,
      maxResults: 20,
      fusion: { k: 60 },
      diversity: { enabled: true, lambda: 0.7, pool: 3, similarity: 'word_bigrams' },
      filter: 'non_inferable',
    });
    expect(read({ version: 1 })).toEqual(DEFAULT_PROFILE);
    expect(read({ version: 1, diversity: { pool: 10 } })).toEqual({
      ...DEFAULT_PROFILE,
      diversity: { ...DEFAULT_PROFILE.diversity, pool: 10 },
    });
  });

  it('has an example with every field but the weight that an embedder has itself, which changes nothing', () => {
    const example = readFileSync(new URL('../../../deploy/ranking-profile.json', import.meta.url), 'utf8');
    expect(JSON.parse(example)).toEqual(DEFAULT_PROFILE);
    expect(read(example)).toEqual(DEFAULT_PROFILE);
  });

  it('has a hash of its values, however the file is written', () => {
    const hashOf = (text: string) => {
      writeFileSync(file, text);
      return new RankingProfiles({ rankingProfile: file }).sha256;
    };
    const none = new RankingProfiles({ rankingProfile: undefined });
    expect([none.current, none.reference]).toEqual([DEFAULT_PROFILE, undefined]);
    expect(hashOf('{"version":1}')).toBe(none.sha256);
    expect(hashOf('{ "fusion": {"k": 60}, "version": 1 }')).toBe(none.sha256);
    expect(hashOf('{"version":1,"fusion":{"k":61}}')).not.toBe(none.sha256);
  });

  it.each<[string, object, string]>([
    ['another version', { version: 2 }, 'version: '],
    ['no version', { version: undefined }, 'version: '],
    ['a λ above 1', { diversity: { lambda: 1.1 } }, 'diversity.lambda: '],
    ['a λ below 0', { diversity: { lambda: -0.1 } }, 'diversity.lambda: '],
    ['a pool of 0', { diversity: { pool: 0 } }, 'diversity.pool: '],
    ['a pool of 11', { diversity: { pool: 11 } }, 'diversity.pool: '],
    ['half a pool', { diversity: { pool: 1.5 } }, 'diversity.pool: '],
    [
      'the similarity of earlier versions',
      { diversity: { similarity: 'cosine' } },
      'diversity.similarity: must be word_bigrams',
    ],
    ['an unknown filter', { filter: 'everything' }, 'filter: '],
    ['a k of 0', { fusion: { k: 0 } }, 'fusion.k: '],
    ['a negative weight of the embedder', { fusion: { embedderWeight: -1 } }, 'fusion.embedderWeight: '],
    ['more results than a recall may have', { maxResults: 21 }, 'maxResults: '],
    ['a threshold above 1', { minRelevance: 1.01 }, 'minRelevance: '],
    ['a default relevance above 1', { defaultRelevance: 2 }, 'defaultRelevance: '],
    ['a negative decay', { decayPerHour: -1 }, 'decayPerHour: '],
    ['a boost above 1', { personalBoost: 2 }, 'personalBoost: '],
    ['a number as text', { personalBoost: '0.1' }, 'personalBoost: '],
    ['weights that do not add up', { relevanceWeight: 0.9 }, 'relevanceWeight: relevanceWeight and recencyWeight'],
    ['a name for a terminal', { name: '\u001b[31mred' }, 'name: '],
    ['an unknown field', { relevanceWieght: 0.7 }, '"relevanceWieght"'],
    ['an unknown field of a group', { fusion: { kk: 60 } }, 'fusion: Unrecognized key: "kk"'],
  ])('refuses %s, and names the setting, the file and the field', (_, fields, said) => {
    const message = refusal({ version: 1, ...fields });
    expect(message).toMatch(/^GUILDBOOK_RANKING_PROFILE: /);
    expect(message).toContain(file);
    expect(message).toContain(said);
  });

  it('names every invalid field at once', () => {
    const message = refusal({ version: 1, maxResults: 0, diversity: { lambda: 3 }, filter: 'x' });
    for (const field of ['maxResults: ', 'diversity.lambda: ', 'filter: ']) expect(message).toContain(field);
  });

  it('refuses a file that is no profile, and says what is wrong with it', () => {
    expect(refusal('{"version":1,')).toContain(`${file}: is not JSON.`);
    expect(refusal('[]')).toContain(`${file}: Invalid input`);
    expect(refusal(`{"version":1}${' '.repeat(70_000)}`)).toContain('is larger than 65,536 bytes');
    expect(() => readProfile(join(folder, 'nowhere.json'))).toThrow('nowhere.json: cannot be read (ENOENT).');
    expect(() => readProfile(folder)).toThrow(/cannot be read|is not JSON/);
  });
});
