import { randomBytes } from 'node:crypto';
import type { Renderable } from '../../src/recall/ranking/rendering.js';
import { FIELD_CAPS, renderFullMemory, renderMemories } from '../../src/recall/ranking/rendering.js';

/** `fence`: a line is not one JSON record of plain characters; `provenance`: a record does not state its provenance. */
export type RecallFault = 'fence' | 'provenance' | 'cap';

/** A lesson whose texts, tags and proposer are all this text. */
function memoryOf(text: string): Renderable {
  return {
    id: '0a3c0000-0000-4000-8000-000000000001',
    scope: 'agent',
    lesson: {
      discovery: text,
      activation: { condition: text, action: text, rationale: text },
      steps: [text, text],
      confidence: 1,
      tags: [text],
    },
    controlTags: ['non-inferable', text],
    provenance: 'unverified',
    proposer: text,
    sourceExecutionId: null,
    skillName: null,
    version: null,
    proposalId: null,
    propagatedFromId: null,
    witnessCount: 1,
    createdAt: '2026-11-20T10:00:00.000Z',
  };
}

/** Faults of a memory with this text when it is delivered, in a message or whole; each kind once. */
export function recallFaultsOf(text: string): RecallFault[] {
  const nonce = randomBytes(16).toString('hex');
  const memory = memoryOf(text);
  const message = renderMemories([memory, memory], nonce)[1]?.content ?? '';
  const faults = new Set<RecallFault>();
  for (const [rendering, records] of [[message, 2] as const, [renderFullMemory(memory, nonce), 1] as const]) {
    const lines = rendering.split('\n');
    const [open, close] = [lines[0], lines.at(-1)];
    if (lines.length !== records + 2 || open !== `<untrusted-data-${nonce}>` || close !== open.replace('<', '</'))
      faults.add('fence');
    for (const line of lines.slice(1, -1))
      for (const fault of faultsOfLine(line, nonce, records === 2)) faults.add(fault);
  }
  return [...faults];
}

function faultsOfLine(line: string, nonce: string, capped: boolean): RecallFault[] {
  if (/[<>`|#&%[\]\u007f-\uffff]/.test(line) || line.toLowerCase().includes(nonce)) return ['fence'];
  let fields: Record<string, string>;
  try {
    fields = JSON.parse(line);
  } catch {
    return ['fence'];
  }
  const faults: RecallFault[] = [];
  if (!/^unverified: context only/.test(fields['provenance'] ?? '') || !fields['source'] || !fields['date'])
    faults.push('provenance');
  const over = Object.entries(FIELD_CAPS).some(([name, cap]) => (fields[name]?.length ?? 0) > cap);
  return capped && over ? [...faults, 'cap'] : faults;
}
