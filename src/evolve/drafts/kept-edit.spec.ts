import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import type { WrittenPart } from '../../approvals/texts/authorship.js';
import type { ComparedDraft } from './draft.js';
import { type EditedForm, withKeptEdit } from './kept-edit.js';

const failed = run('python a.py', 'SyntaxError: invalid syntax');
const [first] = runCycle({
  executions: observedWork([{ of: 24, calls: [failed, failed, run('python3 a.py')] }]),
  settings: CYCLE_DEFAULTS,
  orgEntries: [],
  pendingProposals: [],
  rejectedFingerprints: [],
}).drafts;
if (!first) throw new Error('no draft');
const draft: ComparedDraft = first;

/** The approved lesson with these texts by a person. */
function edited(texts: EditedForm['texts'], more: Partial<EditedForm> = {}): EditedForm {
  // The keys of the texts are their parts.
  const parts = Object.keys(texts) as WrittenPart[];
  return {
    proposalId: '00000000-0000-4000-8000-000000000001',
    fingerprints: draft.fingerprints.slice(0, 1),
    actionFingerprint: draft.actionFingerprint,
    texts: { ...draft.text, ...texts },
    authored: parts.flatMap((part) => {
      const value = texts[part];
      const written = Array.isArray(value) ? value.slice(0, 1).map(String) : [String(value)];
      return written.map((text) => ({ part, text, by: '00000000-0000-4000-8000-000000000002' }));
    }),
    ...more,
  };
}

describe('a new version of a lesson that a person edited', () => {
  it('keeps what the person wrote, where the new evidence supports it', () => {
    const texts = {
      title: 'Ask for the newer interpreter',
      steps: ['Run `python3 a.py`.', 'Read its output.'],
      gotchas: ['The old interpreter stays installed.'],
    };
    const { text, kept } = withKeptEdit(draft, [edited(texts)]);
    expect(text).toEqual({ ...draft.text, ...texts });
    expect(kept).toEqual({ from: edited({}).proposalId, parts: ['title', 'steps', 'gotchas'], left: [] });
  });

  it('has the words of its writer where the gates or the law of observed commands refuse the text, and says why', () => {
    const texts = {
      title: 'Ask for the newer interpreter',
      action: 'Run `pypy3 a.py`.',
      steps: ['Run `python3 --isolated a.py`.'],
      cause: 'It needs `libfoo_2`.',
      gotchas: ['Commit with `git commit --no-verify`.'],
      rationale: 'It worked in 4711 of 4712 runs.',
      binding: { harness: 'another' },
    };
    const { text, kept } = withKeptEdit(draft, [edited(texts)]);
    expect(text).toEqual({ ...draft.text, title: texts.title });
    expect(kept?.parts).toEqual(['title']);
    expect(Object.fromEntries((kept?.left ?? []).map(({ part, reason }) => [part, reason]))).toEqual({
      binding: 'where it holds follows from the new evidence',
      cause: expect.stringContaining('libfoo_2'),
      action: expect.stringContaining('pypy3'),
      rationale: expect.stringContaining('4711'),
      steps: expect.stringContaining('--isolated'),
      gotchas: expect.stringContaining('--no-verify'),
    });
  });

  it('follows the newest edit of the same remedy against the same failure, and no other', () => {
    const other = edited({ title: 'Other' }, { actionFingerprint: 'another remedy' });
    const elsewhere = edited({ title: 'Elsewhere' }, { fingerprints: ['another failure'] });
    expect(withKeptEdit(draft, [other, elsewhere])).toBe(draft);
    const [newest, old] = [edited({ title: 'Newest words' }), edited({ title: 'Old words' })];
    expect(withKeptEdit(draft, [elsewhere, newest, old]).text.title).toBe('Newest words');
  });

  it('is as its writer wrote it where no person wrote', () => {
    expect(withKeptEdit(draft, [edited({})])).toBe(draft);
    expect(withKeptEdit(draft, [])).toBe(draft);
  });
});
