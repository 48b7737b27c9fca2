import { describe, expect, it } from '@jest/globals';
import { leftOutReason } from './transcript-files.js';

const SESSION = '5d0c8a3e-52a4-4b8a-9a55-1f6b7f6d2c11';
const CLAUDE = `/home/jo/.claude/projects/-home-jo-shop`;

describe('where products keep sessions', () => {
  it.each([
    `${CLAUDE}/${SESSION}.jsonl`,
    `${CLAUDE}/${SESSION}/subagents/agent-1.jsonl`,
    `${CLAUDE}/${SESSION}/subagents/workflows/wf_1/agent-2.jsonl`,
    `/backup/-srv-shop/${SESSION}/subagents/agent-1.jsonl.gz`,
    `C:\\Users\\jo\\.claude\\projects\\C--Users-jo-shop\\${SESSION}.jsonl`,
    '/home/jo/.codex/sessions/2026/11/10/rollout-2026-11-10T09-00-00-a.jsonl.zst',
    '/home/jo/.codex/archived_sessions/rollout-a.jsonl',
    '/home/jo/.gemini/tmp/shop/chats/session-1.jsonl',
    '/home/jo/.gemini/tmp/shop/chats/parent/child.jsonl',
    '/home/jo/.local/share/opencode/storage/session/p/ses_1.json',
    '/home/jo/.local/share/opencode/opencode.db',
    '/home/jo/.copilot/session-state/a/events.jsonl',
    '/home/jo/shop/.claude/worktrees/owl/runs/1.jsonl',
    '/tmp/claude-1/-home-jo-shop/5d0c/scratchpad/runs/1.jsonl',
    '/srv/runs/1/trajectory.json',
  ])('reads %s', (path) => {
    expect(leftOutReason(path)).toBeUndefined();
  });

  it.each([
    `${CLAUDE}/${SESSION}/tool-results/toolu_1.txt`,
    `/backup/-srv-shop/${SESSION}/tool-results/b.json`,
    '/srv/runs/1/tool-results/x.jsonl',
    '/srv/runs/1/Tool_Outputs/deep/er/x.jsonl',
    '/home/jo/.gemini/tmp/shop/tool-outputs/run_1.txt',
    '/home/jo/.local/share/opencode/tool-output/tool_1',
  ])('never reads %s, which a call printed', (path) => {
    expect(leftOutReason(path)).toBe('printed by a call');
  });

  it.each([
    [`${CLAUDE}/${SESSION}/other/x.jsonl`, 'Claude Code'],
    [`${CLAUDE}/${SESSION}/subagents/saved-page.jsonl`, 'Claude Code'],
    [`${CLAUDE}/memory/notes.json`, 'Claude Code'],
    [`/backup/-srv-shop/pages/saved.jsonl`, 'Claude Code'],
    ['/home/jo/.claude/history.jsonl', 'Claude Code'],
    ['/home/jo/.claude/file-history/a/b.jsonl', 'Claude Code'],
    ['/home/jo/.codex/history.jsonl', 'Codex'],
    ['/home/jo/.codex/sessions/2026/11/10/saved.jsonl', 'Codex'],
    ['/home/jo/.gemini/tmp/shop/logs.json', 'Gemini CLI'],
    ['/home/jo/.copilot/session-state/a/files/page.jsonl', 'Copilot CLI'],
    ['/home/jo/.local/share/opencode/snapshot/x.json', 'OpenCode'],
  ])('leaves out %s', (path, product) => {
    expect(leftOutReason(path)).toBe(`where ${product} keeps no sessions`);
  });
});
