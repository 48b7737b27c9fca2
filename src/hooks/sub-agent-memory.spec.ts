import { describe, expect, it } from '@jest/globals';
import { usesMemoryAsSubAgent } from './hook-answers.service.js';

const call = (name: string, keys: readonly string[] = [], subAgent = true) =>
  usesMemoryAsSubAgent({
    event: 'PreToolUse',
    subAgent,
    tool: { name, action: '', arguments: keys.map((key) => ({ key, type: 'text' as const })) },
  });

describe('a sub-agent', () => {
  it('has no session memory: it neither recalls, nor reads, nor keeps', () => {
    expect(call('mcp__guildbook__recall_sessions')).toBe(true);
    expect(call('guildbook_read_session')).toBe(true);
    expect(call('mcp__guildbook__remember', ['lesson', 'kind'])).toBe(true);
  });

  it('has every other tool, and its parent has all of them', () => {
    expect(call('mcp__guildbook__remember', ['lesson'])).toBe(false);
    expect(call('mcp__guildbook__search_memory')).toBe(false);
    expect(call('mcp__other__read_session')).toBe(false);
    expect(call('mcp__guildbook__recall_sessions', [], false)).toBe(false);
  });
});
