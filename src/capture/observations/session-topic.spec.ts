import { describe, expect, it } from '@jest/globals';
import { report, run } from '../../../test/support/reports.js';
import { commandsOf, isGenericTitle, LONGEST_TOPIC, topicOf } from './session-topic.js';

const edit = (fileKind: string) => ({
  name: 'Edit',
  action: 'edit',
  ok: true,
  arguments: [{ key: 'file_path', type: 'text' as const, fileKind }],
});

describe('the topic of an execution', () => {
  it('is its title', () => {
    expect(topicOf(report({ taskTitle: 'Close the books' }))).toBe('Close the books');
    expect(topicOf(report({ taskTitle: 'x'.repeat(500) })).length).toBe(LONGEST_TOPIC);
  });

  it('is what ran and worked, and the kinds of files, for a session that has only the name of its product', () => {
    const toolCalls = [
      run('npm test'),
      run('npm test -- src/login'),
      run('git commit -m "the words of a person"'),
      run('py2 close.py', 'py2: not found'),
      edit('.ts'),
      edit('.ts'),
      edit('.md'),
    ];
    expect(topicOf(report({ taskTitle: 'Claude Code session', toolCalls }))).toBe(
      'Claude Code session: npm test, git commit; .ts, .md files',
    );
    expect(topicOf(report({ taskTitle: 'Codex session', toolCalls: [] }))).toBe('Codex session');
  });

  it('holds no word of a command but the names of programs and subcommands', () => {
    const toolCalls = [run('deploy --to "somewhere secret"'), run('"/opt/my tool/run" now'), run('echo hello > file')];
    expect(commandsOf({ toolCalls }).join(' ')).not.toMatch(/secret|hello|file|opt/);
  });

  it('knows the titles of importers and hooks', () => {
    for (const title of ['Claude Code session', 'Codex sub-agent', 'ATIF trajectory', 'Gemini CLI session'])
      expect(isGenericTitle(title)).toBe(true);
    expect(isGenericTitle('Repair the login of the session')).toBe(false);
  });
});
