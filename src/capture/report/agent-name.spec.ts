import { describe, expect, it } from '@jest/globals';
import { agentNameFor, sessionAgentName } from './agent-name.js';

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
    expect(own).toBe(agentNameFor('project', folder, cwd));
    expect(sessionAgentName('claude-code', { file: `${folder}/${SESSION}/subagents/agent-1.jsonl`, cwd })).toBe(own);
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
