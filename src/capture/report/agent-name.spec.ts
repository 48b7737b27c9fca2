import { describe, expect, it } from '@jest/globals';
import { agentNameFor, mainFolder, projectName, sessionAgentName } from './agent-name.js';

const SESSION = '0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a';

describe('the name of an imported agent', () => {
  const encoded = '/home/jo/.claude/projects/-home-jo-code-shop-api';

  it('is stable and contains no home folder', () => {
    expect(agentNameFor('project', encoded, '/home/jo/code/shop-api')).toMatch(/^shop-api-[0-9a-f]{8}$/);
    expect(agentNameFor('project', encoded)).toMatch(/^api-[0-9a-f]{8}$/);
    expect(agentNameFor('project', '/home/jo/.claude/projects/-home-jo', '/home/jo')).toMatch(
      /^a-project-[0-9a-f]{8}$/,
    );
    expect(agentNameFor('project', '/Users/jo/.claude/projects/-Users-jo')).toMatch(/^project-[0-9a-f]{8}$/);
    expect(agentNameFor('project', 'C:\\Users\\jo\\.claude\\projects\\C--Users-jo')).toMatch(/^project-[0-9a-f]{8}$/);
    expect(agentNameFor('project', encoded)).toBe(agentNameFor('project', `${encoded}/`));
  });

  it('differs by directory in project mode and by session in file mode', () => {
    expect(agentNameFor('project', `${encoded}-2`)).not.toBe(agentNameFor('project', `${encoded}-3`));
    expect(agentNameFor('file', `${encoded}/${SESSION}.jsonl`, '/home/jo/code/Shop API')).toBe('shop-api-0b9d3c52');
  });

  it('is the same for a sub-agent and its session, so that one parent never looks like several agents', () => {
    const own = agentNameFor('file', `${encoded}/${SESSION}.jsonl`);
    expect(agentNameFor('file', `${encoded}/${SESSION}/subagents/agent-a327.jsonl`)).toBe(own);
  });
});

describe('the name of the agent of a session', () => {
  const folder = '/home/jo/.claude/projects/-home-jo-code-shop-api';
  const cwd = '/home/jo/code/shop-api';

  it('is one for each folder of Claude Code, also for its sub-agents', () => {
    const own = sessionAgentName('claude-code', { file: `${folder}/${SESSION}.jsonl`, cwd });
    expect(own).toBe(sessionAgentName('codex', { file: '/home/jo/.codex/sessions/1.jsonl', cwd }));
    expect(sessionAgentName('claude-code', { file: `${folder}/${SESSION}/subagents/agent-1.jsonl`, cwd })).toBe(own);
    const deeper = `${folder}/${SESSION}/subagents/workflows/wf_1/agent-2.jsonl`;
    expect(sessionAgentName('claude-code', { file: deeper, cwd })).toBe(own);
  });

  it('is one for each working directory of other products, whose files lie elsewhere', () => {
    const names = ['codex', 'gemini', 'opencode', 'copilot'].map((product, n) =>
      sessionAgentName(product, { file: `/home/jo/.sessions/${n}.jsonl`, cwd }),
    );
    expect(new Set(names)).toEqual(new Set([agentNameFor('project', cwd, cwd)]));
    expect(sessionAgentName('codex', { cwd: `${cwd}-2` })).not.toBe(names[0]);
    expect(sessionAgentName('codex', {})).toBeUndefined();
  });
});

it('the letter of a drive in another case is the same folder', () => {
  const named = (cwd: string) => sessionAgentName('codex', { cwd });
  expect(named('c:\\Users\\ada\\shop')).toBe(named('C:\\Users\\ada\\shop'));
  const inHome = (cwd: string) => sessionAgentName('codex', { cwd, repository: 'acme/shop' });
  expect(inHome('c:\\Users\\ada\\shop')).toBe(inHome('C:\\Users\\ada\\shop'));
});

describe('one repository of one owner', () => {
  const repository = '/home/jo/src/shop';
  const claude = (cwd: string) =>
    sessionAgentName('claude-code', {
      file: `/home/jo/.claude/projects/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/${SESSION}.jsonl`,
      cwd,
    });

  it.each([
    `${repository}/.claude/worktrees/jolly-crow`,
    `${repository}/.claude/worktrees/jolly-crow/packages/api`,
    `${repository}/.worktrees/fix-1`,
    `${repository}/.trees/fix-1`,
    `${repository}-worktrees/fix-1`,
    `${repository}.worktrees/fix-1/src`,
  ])('is one agent and one project in its worktree %s', (cwd) => {
    for (const name of [claude(cwd), sessionAgentName('codex', { cwd })]) expect(name).toBe(claude(repository));
    expect(projectName(cwd)).toBe('shop');
  });

  it('is one in all worktrees that a program keeps in its own folder', () => {
    const kept = ['a1/shop', 'b2/shop', 'b2/shop/src'].map((name) => `/home/jo/.codex/worktrees/${name}`);
    expect(new Set(kept.map((cwd) => sessionAgentName('codex', { cwd }))).size).toBe(1);
    expect(new Set(kept.map(projectName))).toEqual(new Set(['shop']));
    expect(projectName('/home/jo/.cursor/worktrees/shop/x1')).toBe('shop');
    expect(mainFolder(kept[0] ?? '')).toMatchObject({ isElsewhere: true });
  });

  it('is one in each of its clones, by the name of its remote, and another one of another owner', () => {
    const name = (cwd: string, label = 'acme/shop') => sessionAgentName('codex', { cwd, repository: label });
    const own = name(repository);
    expect(name('/home/jo/tmp/shop-2')).toBe(own);
    expect(name('/home/jo/.codex/worktrees/a1/shop', 'Acme/Shop')).toBe(own);
    expect(own).toMatch(/^shop-[0-9a-f]{8}$/);
    expect(name('/home/ada/src/shop')).not.toBe(own);
    expect(name(repository, 'acme/till')).not.toBe(own);
  });

  it('is known by its main folder where git names that, in any folder of it', () => {
    const name = (cwd: string) => sessionAgentName('codex', { cwd, root: repository });
    expect(name('/home/jo/elsewhere')).toBe(claude(repository));
    expect(name(`${repository}/packages/api`)).toBe(claude(repository));
  });

  it('is none of a container or of a folder of another name: that of the transcripts counts', () => {
    const of = (folder: string, cwd: string) => sessionAgentName('claude-code', { file: `${folder}/s.jsonl`, cwd });
    expect(of('/runs/1/-testbed', '/testbed')).not.toBe(of('/runs/2/-testbed', '/testbed'));
    expect(of('/runs/shop', '/srv/x')).not.toBe(of('/runs/till', '/srv/x'));
    expect(of('/runs/-srv-shop--claude-worktrees-owl', '')).toBe(of('/runs/-srv-shop', ''));
  });
});
