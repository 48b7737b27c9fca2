import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSource } from './source-text.js';
import { transcriptFiles } from './transcript-files.js';

describe('a folder of transcripts', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'guildbook-files-')));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (...files: readonly string[]) => {
    for (const name of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), '{}');
    }
  };
  const found = async (...paths: string[]) => {
    const { sources, unread, notEntered, leftOut } = await transcriptFiles(
      (paths.length > 0 ? paths : ['.']).map((path) => join(folder, path)),
      true,
    );
    return {
      files: sources.map(({ path }) => relative(folder, path)),
      unread: Object.fromEntries(unread.map(({ file, reason }) => [relative(folder, file), reason])),
      notEntered,
      ...(Object.keys(leftOut).length === 0 ? {} : { leftOut }),
    };
  };

  it('is searched to any depth, hidden folders too, for names that a transcript may have', async () => {
    const read = ['.runs/x/a.jsonl', 'b.json', 'c.traj', 'd.traj.json', 'e.ndjson', 'f.jsonl.gz', 'g.jsonl.zst'];
    await write(...read, 'notes.md', 'agent.meta.json', 'photo.png', 'h.gz', 'build.log', 'page.txt');
    const leftOut = { 'no transcript by its name; a file that is named is read': 6 };
    expect(await found()).toEqual({ files: read, unread: {}, notEntered: {}, leftOut });
  });

  it('is searched only where a product keeps its sessions', async () => {
    const project = '.claude/projects/-srv-shop';
    const read = [
      `${project}/s1.jsonl`,
      '.codex/sessions/2026/11/10/rollout-1.jsonl.zst',
      `${project}/s1/subagents/agent-1.jsonl`,
      `${project}/s1/subagents/workflows/wf/agent-2.jsonl`,
    ];
    const printed = ['a.txt', 'b.json', 'c.jsonl', 'deep/er/d.jsonl'].map(
      (name) => `${project}/s1/tool-results/${name}`,
    );
    const others = [`${project}/s1/pages/x.jsonl`, `${project}/s1/subagents/workflows/wf/journal.jsonl`];
    const planted = ['Downloads/saved.jsonl', 'src/lib/.claude/projects/-srv-shop/s9.jsonl', 'notes.json'];
    await write(...read, ...printed, ...others, ...planted, '.claude/projects/-srv-shop/s2/tool-results/e.json');
    const leftOut = {
      'printed by a call': 5,
      'where Claude Code keeps no sessions': 2,
      'in a home, where no product keeps sessions': 3,
    };
    const byPath = (list: readonly string[]) => [...list].sort();
    const home = await found();
    expect({ ...home, files: byPath(home.files) }).toEqual({
      files: byPath(read),
      unread: {},
      notEntered: {},
      leftOut,
    });
    // The same when the project's folder, or the one with what a call printed, is named.
    expect((await found(project)).files).toEqual([read[0], read[2], read[3]]);
    expect(await found(`${project}/s1/tool-results`)).toMatchObject({ files: [], leftOut: { 'printed by a call': 4 } });
    const named = printed[0] ?? '';
    expect((await found(named)).files).toEqual([named]);
  });

  it('is searched without the checkouts of repositories in it, whose files anyone can write', async () => {
    await write('runs/a.jsonl', 'lib/.git/config', 'lib/fixtures/b.jsonl', 'tree/.git', 'tree/c.jsonl');
    expect(await found()).toEqual({ files: ['runs/a.jsonl'], unread: {}, notEntered: { 'with a checkout of git': 2 } });
    expect((await found('lib')).files).toEqual(['lib/fixtures/b.jsonl']);
  });

  it('names what it cannot read, with the command that helps', async () => {
    await write('opencode.db', 'goose/sessions.db', 'a.jsonl.xz', 'b.tar.gz', 'c.zip');
    expect(await found()).toMatchObject({
      files: [],
      unread: {
        'opencode.db': expect.stringContaining('opencode export <id>'),
        'goose/sessions.db': 'a database; export its sessions from the program',
        'a.jsonl.xz': 'packed with xz; unpack it with: xz -dk <file>',
        'b.tar.gz': 'packed with tar; unpack it with: tar -xf <file>',
        'c.zip': 'packed with zip; unpack it with: unzip <file>',
      },
    });
    const open = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return () => openSource({ kind: 'file', path, files: [path], bytes: 0 });
    };
    expect(open('opencode-stable.db', 'SQLite format 3\0')).toThrow('opencode export <id>');
    expect(open('a.jsonl.xz', '\xfd7zXZ\0')).toThrow('xz -dk');
    expect(open('other', 'a\0b')).toThrow('binary file');
    // A write that was cut leaves NUL between records.
    expect(open('cut.jsonl', '{"type":"user"}\n\0\0\0{"type":"user"}\n')).not.toThrow();
  });

  it('is searched without the folders of packages and of git, which are counted', async () => {
    await write('a.json', 'node_modules/p/package.json', 'x/node_modules/q.json', '.git/hooks.json');
    expect(await found()).toEqual({ files: ['a.json'], unread: {}, notEntered: { node_modules: 2, '.git': 1 } });
  });

  it('is searched once when its links lead back into it, and never beyond it', async () => {
    await write('in/a.jsonl', 'in/deep/b.jsonl', 'out/secret.jsonl');
    await symlink('..', join(folder, 'in/deep/up'));
    await symlink('a.jsonl', join(folder, 'in/again.jsonl'));
    await symlink('../out/secret.jsonl', join(folder, 'in/secret.jsonl'));
    await symlink('../out', join(folder, 'in/elsewhere'));
    await symlink('gone.jsonl', join(folder, 'in/broken.jsonl'));
    expect(await found('in')).toEqual({
      files: ['in/a.jsonl', 'in/deep/b.jsonl'],
      unread: { 'in/secret.jsonl': 'symbolic link out of the folder', 'in/broken.jsonl': 'broken symbolic link' },
      notEntered: {},
    });
  });

  it('is read through a link if the link itself is named', async () => {
    await write('real/a.jsonl');
    await symlink('real', join(folder, 'link'));
    await symlink('real/a.jsonl', join(folder, 'file'));
    expect((await found('link', 'file', 'real')).files).toEqual(['real/a.jsonl']);
  });

  it('never waits for a pipe in it', async () => {
    await write('a.jsonl');
    execFileSync('mkfifo', [join(folder, 'pipe.jsonl')]);
    expect(await found()).toMatchObject({ files: ['a.jsonl'], unread: { 'pipe.jsonl': 'not a regular file' } });
    expect(await found('pipe.jsonl')).toMatchObject({ files: [], unread: { 'pipe.jsonl': 'not a regular file' } });
    const pipe = join(folder, 'pipe.jsonl');
    expect(() => openSource({ kind: 'file', path: pipe, files: [pipe], bytes: 0 })).toThrow('not a regular file');
  });

  it('takes a file that is named under any name', async () => {
    await write('transcript');
    expect((await found('transcript')).files).toEqual(['transcript']);
    expect((await found()).files).toEqual([]);
  });

  it('takes the state and the numbered events of a conversation as one source, in their order', async () => {
    const events = ['events/event-00000-aa.json', 'events/event-00001-cc.json', 'events/event-00002-bb.json'];
    await write(...events.map((name) => `c1/${name}`).reverse(), 'c1/base_state.json', 'c1/events/.eventlog.lock');
    await writeFile(join(folder, 'c1', events[1] ?? ''), '{\n  "n": 1\n}\n');
    const { sources } = await transcriptFiles([folder], true);
    expect(sources).toMatchObject([{ kind: 'events', path: join(folder, 'c1'), bytes: 19 }]);
    const [source] = sources;
    const lines = source === undefined ? [] : [...openSource(source).lines(100)];
    expect(lines.map((line) => JSON.parse(line))).toEqual([{}, {}, { n: 1 }, {}]);
  });

  it("takes each session in OpenCode's storage as the document that it exports", async () => {
    const files = {
      'session/p1/ses_1.json': { id: 'ses_1', directory: '/srv/shop' },
      'message/ses_1/msg_1.json': { id: 'msg_1', role: 'user' },
      'message/ses_1/msg_2.json': { id: 'msg_2', role: 'assistant' },
      'part/msg_1/prt_1.json': { type: 'text', text: 'Close the books' },
      'part/msg_2/prt_2.json': { type: 'tool', tool: 'bash' },
      'part/msg_2/prt_3.json': { type: 'text', text: 'Closed' },
    };
    for (const [name, record] of Object.entries(files)) {
      await write(`storage/${name}`);
      await writeFile(join(folder, 'storage', name), JSON.stringify(record, undefined, 2));
    }
    await write('storage/message/ses_1/msg_3.json');
    await writeFile(join(folder, 'storage/message/ses_1/msg_3.json'), '{"id": "ms');
    const { sources } = await transcriptFiles([folder], true);
    const [source] = sources;
    const text = source === undefined ? undefined : openSource(source);
    expect(sources).toHaveLength(1);
    expect([...(text?.lines(100) ?? [])].map((line) => JSON.parse(line))).toEqual([
      {
        info: files['session/p1/ses_1.json'],
        messages: [
          { info: files['message/ses_1/msg_1.json'], parts: [files['part/msg_1/prt_1.json']] },
          {
            info: files['message/ses_1/msg_2.json'],
            parts: [files['part/msg_2/prt_2.json'], files['part/msg_2/prt_3.json']],
          },
          // stands for the one that cannot be read
          null,
        ],
      },
    ]);
    expect(text?.lost()).toEqual([{ reason: 'record that is no JSON', count: 1 }]);
  });
});
