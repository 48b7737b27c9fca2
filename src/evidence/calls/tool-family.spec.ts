import { describe, expect, it } from '@jest/globals';
import { namesOfFamily, toolFamily } from './tool-family.js';

describe('the family of a tool', () => {
  it.each([
    ['shell', ['Bash', 'shell', 'run_shell_command', 'exec_command', 'execute_bash', 'PowerShell']],
    ['file:read', ['Read', 'read_file', 'view']],
    ['file:edit', ['Edit', 'MultiEdit', 'apply_patch', 'str_replace', 'replace']],
    ['file:write', ['Write', 'write_file']],
    ['file:search', ['Grep', 'search_file_content']],
    ['web:fetch', ['WebFetch', 'web_fetch']],
    ['mcp__shop__refund', ['mcp__shop__refund', 'MCP__Shop__Refund']],
  ])('%s has the names that agents use', (family, names) => {
    expect(names.map(toolFamily)).toEqual(names.map(() => family));
  });

  it('has names that texts use only for the tool', () => {
    expect(namesOfFamily('shell')).toEqual(expect.arrayContaining(['bash', 'shell', 'run_shell_command']));
    expect(namesOfFamily('file:edit')).toEqual(expect.arrayContaining(['apply_patch', 'multiedit']));
    for (const family of ['shell', 'file:read', 'file:edit', 'file:write', 'agent'])
      for (const word of ['read', 'edit', 'write', 'task', 'agent']) expect(namesOfFamily(family)).not.toContain(word);
    expect(namesOfFamily('mcp__shop__refund')).toEqual([]);
  });
});
