import { describe, expect, it } from '@jest/globals';
import { repositoryLabel } from './repository-label.js';

describe('the label of a repository', () => {
  it.each([
    ['https://ann:x@git.example.com/acme/shop.git', 'acme/shop'],
    ['git@git.example.com:acme/shop.git', 'acme/shop'],
    ['ssh://git@git.example.com:2222/group/acme/shop/', 'acme/shop'],
    ['https://git.example.com/acme/shop?token=1', 'acme/shop'],
    ['/home/ann/acme/shop', 'acme/shop'],
    ['C:\\work\\acme\\shop', 'acme/shop'],
    ['acme/shop', 'acme/shop'],
    ['shop', 'shop'],
  ])('is the owner and the name: %s', (repository, label) => {
    expect(repositoryLabel(repository)).toBe(label);
  });

  it.each(['', 'https://git.example.com', 'https://git.example.com/shop', 'git@git.example.com:shop'])(
    'is unknown without both: %s',
    (repository) => {
      expect(repositoryLabel(repository)).toBeUndefined();
    },
  );
});
