import { describe, expect, it } from '@jest/globals';
import { commitStream, type PlannedCommit } from './commit-stream.js';

const planned = (writes: [string, string][], removes: string[] = []): PlannedCommit => ({
  message: 'Publish retry-once v1\n',
  author: { name: 'Ada', email: 'ada@example.test' },
  when: '2026-11-20T09:30:00.000Z',
  writes: new Map(writes),
  removes,
});

describe('the stream of commits for git', () => {
  it('holds each commit on the one before it, and asks for its id', () => {
    const stream = commitStream('a'.repeat(40), [
      planned([['retry-once/SKILL.md', 'v1\n']]),
      planned([['retry-once/SKILL.md', 'é\n']], ['old/SKILL.md']),
    ]).toString('utf8');
    expect(stream.match(/^from .*$/gm)).toEqual([`from ${'a'.repeat(40)}`]);
    expect(stream).toContain('data 3\né\n');
    expect(stream.match(/^[MD] .*$/gm)).toEqual([
      'M 100644 :1 retry-once/SKILL.md',
      'D old/SKILL.md',
      'M 100644 :2 retry-once/SKILL.md',
    ]);
    expect(stream).toMatch(/get-mark :3\nget-mark :4\ndone\n$/);
    expect(stream).toContain('author Ada <ada@example.test> 1795167000 +0000\ncommitter Guildbook ');
  });

  it('counts the bytes of what it quotes, so that no content is read as a command', () => {
    const content = 'x\ndone\nreset refs/heads/main\n';
    const stream = commitStream(undefined, [planned([['retry-once/SKILL.md', content]])]).toString('utf8');
    expect(stream).toContain(`data ${Buffer.byteLength(content)}\n${content}`);
    expect(stream).not.toContain('from ');
  });

  it.each([
    '../evil',
    '/etc/passwd',
    '.git/config',
    '.GIT/config',
    'a//b',
    'a/../b',
    'a\nD b',
    '"quoted"',
    '',
    'a/.git',
  ])('refuses the path %j', (path) => {
    expect(() => commitStream(undefined, [planned([[path, 'x']])])).toThrow(TypeError);
    expect(() => commitStream(undefined, [planned([], [path])])).toThrow(TypeError);
  });

  it.each(['.claude-plugin/marketplace.json', '.index/retry-once.md', 'README.md', 'retry-once/SKILL.md'])(
    'takes the path %s',
    (path) => {
      expect(commitStream(undefined, [planned([[path, 'x']])]).toString()).toContain(`M 100644 :1 ${path}\n`);
    },
  );
});
