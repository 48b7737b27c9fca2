import { describe, expect, it } from '@jest/globals';
import { blocksOf, problemsOf, stepsOf } from './page.js';

const block = (info: string, ...lines: string[]) => ['```'.concat(info), ...lines, '```', ''].join('\n');

describe('the blocks of a page that is run', () => {
  it('are found with their line, in order, also inside a list', () => {
    const page = ['# Try', '', block('sh', 'guildbook status'), '1. Then:', '   ```sh', '   git log', '   ```'].join(
      '\n',
    );

    expect(blocksOf(page).map(({ line, text }) => [line, text.trim()])).toEqual([
      [3, 'guildbook status'],
      [8, 'git log'],
    ]);
  });

  it('keep a shorter fence inside a longer one', () => {
    const page = ['````sh', "cat > a.md <<'END'", '```sh', 'true', '```', 'END', '````'].join('\n');

    expect(stepsOf(page)).toHaveLength(1);
    expect(stepsOf(page)[0]?.text).toContain('```sh\ntrue\n```');
  });

  it('say what they need and whether they keep running', () => {
    const page = block('sh', 'a') + block('sh background needs=postgresql', 'b') + block('sh needs=root,systemd', 'c');

    expect(stepsOf(page).map(({ background, needs }) => ({ background, needs }))).toEqual([
      { background: false, needs: [] },
      { background: true, needs: ['postgresql'] },
      { background: false, needs: ['root', 'systemd'] },
    ]);
  });

  it('of another language are shown and not run', () => {
    const page = block('text', 'Guildbook is listening on http://127.0.0.1:4747') + block('json', '{}');

    expect(problemsOf(page)).toEqual([]);
    expect(stepsOf(page)).toEqual([]);
  });
});

describe('a block that a reader cannot run', () => {
  it.each([
    ['a word in angle brackets', 'guildbook proposals show <id>', '"<id>"'],
    ['a token that is left out', 'guildbook login --token gbo_...', '"gbo_..."'],
    ['a password that is left out', 'DATABASE_URL=postgresql://guildbook:...@127.0.0.1/guildbook', '"..."'],
    ['an ellipsis', 'guildbook import …', '"…"'],
  ])('is refused for %s', (_name, command, found) => {
    expect(problemsOf(block('sh', command))).toEqual([
      `line 1: ${found} is a placeholder: take the value from a variable or a file`,
    ]);
  });

  it.each([
    ['a redirection', 'guildbook login --token - < ~/.local/share/guildbook/admin-token'],
    ['a heredoc', "cat > report.mjs <<'END'\nconst all = [...calls];\nEND"],
    ['a range of commits', 'git log main...next'],
  ])('is not one with %s', (_name, command) => {
    expect(problemsOf(block('sh', command))).toEqual([]);
  });

  it('is refused for a word that the test does not know', () => {
    expect(problemsOf(block('sh example', 'true'))[0]).toContain('"example" is unknown after "sh"');
    expect(problemsOf(block('sh needs=luck', 'true'))[0]).toContain('"needs=luck" is unknown after "sh"');
  });

  it.each(['bash', 'console', 'shell', ''])('is refused under the name "%s", which the test would not run', (name) => {
    expect(problemsOf(block(name, 'true'))[0]).toContain('commands are "sh"');
  });

  it.each(['guildbook status', '$ ls', 'GUILDBOOK_PORT=4800 guildbook serve', 'sudo systemctl start guildbook'])(
    'is refused as output if it is the command "%s"',
    (command) => {
      expect(problemsOf(block('text', command))[0]).toContain('mark it as "sh"');
    },
  );
});
