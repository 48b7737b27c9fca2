import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectNameOf } from '../../capture/observations/observation.js';
import { transcriptFiles } from '../sources/transcript-files.js';
import { TranscriptReader } from './transcripts.js';

const lines = (records: readonly object[]): string => records.map((record) => JSON.stringify(record)).join('\n');

/** A session of Claude Code with one call. `first`: a record in front of it. */
function claudeSession(id: string, cwd: string, first: readonly object[] = []): string {
  const record = (n: number, type: string, message: object) => ({
    sessionId: id,
    cwd,
    type,
    uuid: `${id}-${n}`,
    timestamp: `2026-01-05T09:00:0${n}.000Z`,
    message,
  });
  const use = { type: 'tool_use', id: `${id}-call`, name: 'Bash', input: { command: 'make' } };
  const result = { type: 'tool_result', tool_use_id: `${id}-call`, content: 'ok' };
  return lines([
    ...first,
    record(1, 'user', { role: 'user', content: 'Build it' }),
    record(2, 'assistant', { id: `${id}-m`, model: 'm', content: [use] }),
    record(3, 'user', { role: 'user', content: [result] }),
  ]);
}

function codexSession(id: string, cwd: string, git?: object): string {
  const at = '2026-01-05T09:00:00.000Z';
  const record = (type: string, payload: object) => ({ timestamp: at, type, payload });
  return lines([
    record('session_meta', { id, cwd, ...(git === undefined ? {} : { git }) }),
    record('response_item', { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"make"}', call_id: id }),
    record('response_item', { type: 'function_call_output', call_id: id, output: 'Process exited with code 0' }),
  ]);
}

describe('the projects of sessions', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'guildbook-projects-')));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  const claude = (n: number, cwd: string, first?: readonly object[]) =>
    write(`in/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/${n}.jsonl`, claudeSession(`c-${n}`, cwd, first));
  const codex = (n: number, cwd: string, git?: object) =>
    write(`in/2026/rollout-${n}.jsonl`, codexSession(`x-${n}`, cwd, git));
  /** The agents and projects of all sessions in the folder, each once. */
  const counted = async (agentPer: 'project' | 'file' = 'project') => {
    const agents = new Set<string>();
    const projects = new Set<string | undefined>();
    const { sources } = await transcriptFiles([join(folder, 'in')], true);
    const reader = new TranscriptReader({ agentPer }, undefined, sources);
    for (const source of sources)
      for (const { agent, report } of (await reader.read(source)).reports) {
        agents.add(agent);
        projects.add(projectNameOf(report).projectName);
      }
    return { agents: agents.size, projects: [...projects] };
  };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { stdio: 'pipe' });
  const repository = (name: string, ...remote: readonly string[]) => {
    const path = join(folder, name);
    git('init', '--quiet', path);
    git('-C', path, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    if (remote.length > 0) git('-C', path, 'remote', 'add', 'origin', ...remote);
    return path;
  };

  it('are named by git: worktrees anywhere and folders of one repository are one', async () => {
    const shop = repository('shop');
    git('-C', shop, 'worktree', 'add', '--quiet', join(folder, 'elsewhere/feature'));
    await mkdir(join(shop, 'packages/api'), { recursive: true });
    for (const [n, cwd] of [shop, join(folder, 'elsewhere/feature'), join(shop, 'packages/api')].entries()) {
      await claude(n, cwd);
      await codex(n, cwd);
    }
    expect(await counted()).toEqual({ agents: 1, projects: ['shop'] });
  });

  it('are named by the remote: clones of one repository are one, and those of others are not', async () => {
    await claude(1, repository('shop', 'git@git.example:acme/shop.git'));
    await codex(2, repository('shop-again', 'https://git.example/acme/shop'));
    await codex(3, '/home/jo/.codex/worktrees/a1/shop', { repository_url: 'https://git.example/acme/shop.git' });
    const { projects } = await counted();
    expect(projects).toEqual(['acme/shop']);
    await claude(4, repository('till', 'git@git.example:acme/till.git'));
    expect((await counted()).projects).toHaveLength(2);
  });

  it('are named by the session where the folder is gone', async () => {
    await claude(1, '/home/jo/src/shop');
    await claude(2, '/home/jo/src/shop/.claude/worktrees/owl');
    await claude(3, '/home/jo/trees/owl', [
      { type: 'worktree-state', worktreeSession: { originalCwd: '/home/jo/src/shop' } },
    ]);
    await codex(4, '/home/jo/src/shop');
    expect(await counted()).toEqual({ agents: 1, projects: ['shop'] });
  });

  it('are found by their name for a worktree of which nothing else is known, if only one has it', async () => {
    await codex(1, '/home/jo/.codex/worktrees/a1/shop');
    await codex(2, '/home/jo/src/shop');
    await claude(3, '/home/jo/.codex/worktrees/b2/shop');
    expect(await counted()).toEqual({ agents: 1, projects: ['shop'] });
    await codex(4, '/home/jo/old/shop');
    expect((await counted()).agents).toBe(3);
  });

  it('are those of the session for its sub-agents at any depth, also with an agent for each file', async () => {
    const cwd = '/home/jo/src/shop';
    const inner = (id: string) =>
      claudeSession(id, `${cwd}/.claude/worktrees/${id}`).replaceAll(
        `"sessionId":"${id}"`,
        '"sessionId":"c-1","agentId":"1","isSidechain":true',
      );
    await claude(1, cwd);
    await write('in/-home-jo-src-shop/1/subagents/agent-1.jsonl', inner('a'));
    await write('in/-home-jo-src-shop/1/subagents/workflows/wf_1/agent-2.jsonl', inner('b'));
    await write('in/2026/rollout-1.jsonl', codexSession('x-1', cwd));
    const child = { subagent: { thread_spawn: { parent_thread_id: 'x-1' } } };
    const spawned = codexSession('x-2', '/home/jo/other').replace(
      '"id":"x-2"',
      `"id":"x-2","source":${JSON.stringify(child)}`,
    );
    await write('in/2026/rollout-2.jsonl', spawned);
    expect((await counted()).agents).toBe(1);
    expect((await counted('file')).agents).toBe(2);
  });
});
