import { describe, expect, it } from '@jest/globals';
import { report, run } from '../../../test/support/reports.js';
import { newEntry } from './entry.js';
import type { NewSessionEntry, SessionEntry } from './session-memory.schema.js';
import { summaryByModel, summaryByRules } from './session-summary.js';

const TOKEN = `gh${'p_'}q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb`;
const made = (input: NewSessionEntry): SessionEntry =>
  newEntry(input, { at: '2026-05-15T08:00:00.000Z', session: 's-1' });
const edit = (fileKind: string) => ({
  name: 'Edit',
  action: 'edit',
  ok: true,
  arguments: [{ key: 'file_path', type: 'text' as const, fileKind }],
});

describe('the summary by rules', () => {
  it('says what was asked, the kinds of files, what was overcome, decided, remembered and left open', () => {
    const entries = [
      made({ kind: 'decision', content: 'use python3.', tags: ['python'] }),
      made({ kind: 'preference', content: 'no emoji', tags: ['style', 'python'] }),
      made({ kind: 'open-thread', content: 'check\nthe totals' }),
    ];
    const toolCalls = [
      run('python close.py', 'SyntaxError: invalid syntax'),
      run('python3 close.py'),
      edit('.ts'),
      edit('.ts'),
      edit('.md'),
    ];
    expect(
      summaryByRules(entries, { asked: 'Close the books', report: report({ toolCalls, status: 'failed' }) }),
    ).toEqual({
      text: 'Asked: Close the books. The session ended as failed. Files: .ts (2), .md (1). Overcame: "python close.py" → "python3 close.py". Decided: use python3. Remembered: no emoji. Open: check the totals.',
      tags: ['python', 'style', 'ts', 'md'],
    });
  });

  it('has three to five tags and at most 1,200 characters, from nothing and from too much', () => {
    expect(summaryByRules([], {})).toEqual({ text: 'Nothing was noted.', tags: ['session', 'notes', 'memory'] });
    const many = Array.from({ length: 300 }, (_, n) =>
      made({ kind: n % 2 === 0 ? 'fact' : 'decision', content: `${'word '.repeat(200)}${n}`, tags: [`t${n}`] }),
    );
    const { text, tags } = summaryByRules(many, { asked: 'x '.repeat(5_000) });
    expect(text.length).toBeLessThanOrEqual(1_200);
    expect(text).toContain('; and 146 more.');
    expect(tags).toHaveLength(5);
  });

  it('takes its tags from the words if entries have none', () => {
    const { tags } = summaryByRules([made({ kind: 'fact', content: 'fixtures live beside fixtures' })], {});
    expect(tags[0]).toBe('fixtures');
    expect(tags).toHaveLength(3);
  });

  it('names the programs, the product and how it ended in the tags of a session without a title', () => {
    const tagsOf = (more: Partial<Parameters<typeof report>[0]>) =>
      summaryByRules([], { report: report({ taskTitle: 'Claude Code session', toolCalls: [], ...more }) }).tags;
    expect(tagsOf({ status: 'failed' })).toEqual(['failed', 'claude-code', 'session']);
    expect(tagsOf({ toolCalls: [run('npm test')] })).toEqual(['npm', 'test', 'claude-code']);
  });

  it('has the title of the report where nothing but blanks was asked', () => {
    const titled = report({ taskTitle: 'Close the books', toolCalls: [] });
    for (const asked of ['', ' \n', '\u200b'])
      expect(summaryByRules([], { asked, report: titled }).text).toMatch(/^Asked: Close the books\./);
  });

  it('redacts what was asked and each call before it cuts them', () => {
    const padding = 'a/'.repeat(45);
    const toolCalls = [
      run(`deploy ${padding} --token ${TOKEN}`, 'Error: unknown option --token'),
      run(`deploy ${padding} --auth ${TOKEN}`),
    ];
    const { text } = summaryByRules([], { asked: `${'x'.repeat(180)} ${TOKEN}`, report: report({ toolCalls }) });
    expect(text).not.toContain(TOKEN.slice(4, 12));
    expect(text).not.toContain(TOKEN.slice(0, 7));
  });
});

describe('the summary by a model', () => {
  it('is redacted, on one line and within the limits, with at most five proper tags', () => {
    const summary = summaryByModel({
      text: `We used ${TOKEN}.\n\n## Decisions\n${'x'.repeat(3_000)}`,
      tags: [' A ', 'a', 'b', '<c>', 'd', 'e', 'f', 'g'],
    });
    expect(summary?.text).toMatch(/^We used \[REDACTED:github-token\]\. ## Decisions x+\.\.\.$/);
    expect(summary?.text).toHaveLength(1_200);
    expect(summary?.tags).toEqual(['a', 'b', 'd', 'e', 'f']);
  });

  it.each([
    { text: ' ', tags: ['a'] },
    { text: 'x', tags: [] },
    { text: 'x', tags: ['two words'] },
  ])('is none without text or tags: %j', (written) => {
    expect(summaryByModel(written)).toBeUndefined();
  });
});
