import { expect, it } from '@jest/globals';
import { type PathRelation, relationOf } from './path-relation.js';

const shell = (call: string) => ({ tool: 'shell', call });

it.each<[string, string, PathRelation | undefined]>([
  ['cd app && pytest', 'pytest', 'here'],
  ['git -C app add -A', 'git add -A', 'here'],
  ['cat app/src/a.py', 'cat src/a.py', 'here'],
  ['cat a.py', 'cat src/a.py', 'deeper'],
  ['cat src/a.py', 'cat lib/a.py', 'moved'],
  ['cat src/a.py', 'cat src/b.py', 'other'],
  ['make all', 'make all', undefined],
])('the path of a successful call says where the shell stood: %s, then %s', (failed, worked, relation) => {
  expect(relationOf(shell(failed), shell(worked))).toBe(relation);
});
