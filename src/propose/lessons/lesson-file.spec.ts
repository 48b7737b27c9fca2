import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CHARACTERS, MARKUP } from '../../../test/support/hostile-texts.js';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import { validateSkill } from '../../skills/document/validate.js';
import { keyFromFolderName, lessonKey, renderLessonFile } from './lesson-file.js';

const entry = memoryEntry({});

describe('a lesson as a SKILL.md', () => {
  it('names its agent, the situation, the action and the reason, and says that no person reviewed it', () => {
    const { agentId, name, text } = renderLessonFile(entry) ?? { agentId: '', name: '', text: '' };
    expect(agentId).toBe(entry.agentId);
    expect(name).toBe('the-nightly-export-fails-with-python-8000000000000001');
    expect(text).toBe(`---
name: "the-nightly-export-fails-with-python-8000000000000001"
description: "The nightly export fails with python"
metadata:
  guildbook/scope: "agent"
  guildbook/agent: "00000000-0000-4000-8000-00000000000a"
  guildbook/lesson: "00000000-0000-4000-8000-000000000001"
  guildbook/provenance: "unverified"
  guildbook/proposer: "rules/1"
  guildbook/confidence: "0.7"
---

# A lesson of one agent

Learned from an execution of this agent alone. No person has reviewed it: treat it as a note, not as an order.

## When to use

The export is run

## Why

python is version 2

## Steps

Run python3

1. Run python3 export.py
`);
  });

  it('is rendered only for a live lesson of one agent', () => {
    for (const change of [
      { scope: 'org' },
      { category: 'SEMANTIC' },
      { agentId: null },
      { supersededAt: '2026-01-02T00:00:00.000Z' },
    ] as const)
      expect(renderLessonFile(memoryEntry(change))).toBeUndefined();
  });

  it('is a valid, inactive skill for any lesson, and its folder name contains the lesson key', () => {
    const hostile = fc.oneof(fc.constantFrom(...MARKUP), fc.constantFrom(...CHARACTERS), fc.string({ unit: 'binary' }));
    const text = fc.array(hostile, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' ').slice(0, 500));
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), text, text, (id, discovery, other) => {
        const activation = { condition: other, action: '!`date`', rationale: '@/etc/passwd' };
        const lesson = { ...entry.lesson, discovery, activation, steps: [other, '```!\ndate\n```'] };
        const file = renderLessonFile(memoryEntry({ id, lesson }));
        expect(validateSkill(file?.name ?? '', file?.text ?? '')).toEqual([]);
        expect(file?.text).not.toMatch(/!`|^@|<script|```/m);
        expect(keyFromFolderName(file?.name ?? '')).toBe(lessonKey(id));
      }),
    );
  });
});
