import { describe, expect, it } from '@jest/globals';
import { agentNameFor } from './agent-name.js';

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
