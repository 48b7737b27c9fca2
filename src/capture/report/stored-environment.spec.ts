import { describe, expect, it } from '@jest/globals';
import { storedEnvironment } from './stored-environment.js';

describe('the stored environment', () => {
  it('keeps labels and versions', () => {
    const environment = {
      harness: 'claude-code',
      harnessVersion: '2.0.31',
      operatingSystem: 'macOS 14.1',
      interpreters: [{ name: 'python', version: '2.7.3' }],
      project: 'shop',
      repository: 'acme/shop',
    };
    expect(storedEnvironment(environment)).toEqual(environment);
  });

  it.each([
    ['/home/ann/work/shop', 'shop'],
    ['C:\\Users\\ann\\shop', 'shop'],
    ['/home/ann', undefined],
    ['my shop', 'my shop'],
  ])('has a project without its folders: %s', (project, label) => {
    expect(storedEnvironment({ project })?.project).toBe(label);
  });

  it.each([
    ['https://ann:x@git.example.com/acme/shop.git', 'acme/shop'],
    ['git@git.example.com:acme/shop.git', 'acme/shop'],
    ['ssh://git@git.example.com/group/acme/shop/', 'acme/shop'],
    ['https://git.example.com/acme/shop?token=1', 'acme/shop'],
    ['/home/ann/acme/shop', 'acme/shop'],
    ['acme/shop', 'acme/shop'],
    ['shop', 'shop'],
  ])('has a repository without its host: %s', (repository, label) => {
    expect(storedEnvironment({ repository })?.repository).toBe(label);
  });

  it('leaves out what is private or empty', () => {
    expect(storedEnvironment({ harness: ' ', interpreters: [{ name: '\u200b', version: '1' }] })).toEqual({
      interpreters: [{ name: '\u200b', version: '1' }],
    });
    expect(storedEnvironment({ harness: ' ' })).toBeUndefined();
    expect(storedEnvironment({ operatingSystem: 'linux on build.example.com' })).toEqual({
      operatingSystem: 'linux on [host]',
    });
  });
});
