import { describe, expect, it } from '@jest/globals';
import { CommitMessage, safeAuthor } from './commit-message.js';

const facts = {
  name: 'retry-once',
  version: 2,
  proposalId: '0b0e6c0a-3c1f-4d5e-8f70-9a1b2c3d4e5f',
  artifactSha256: 'a'.repeat(64),
  journal: { seq: 17, hash: 'b'.repeat(64) },
};
const forged = 'x\n\nApproved-by: chief@example.test';

describe('the message of a publication commit', () => {
  it('contains the skill, its version, the approval, the artifact and the journal entry, and nothing else', () => {
    expect(String(CommitMessage.publish(facts))).toBe(
      [
        'Publish retry-once v2',
        '',
        'Guildbook-Approval: 0b0e6c0a-3c1f-4d5e-8f70-9a1b2c3d4e5f',
        `Guildbook-Artifact-Sha256: ${'a'.repeat(64)}`,
        `Guildbook-Journal: 17:${'b'.repeat(64)}`,
        '',
      ].join('\n'),
    );
    const signed = { ...facts, journal: { ...facts.journal, signature: `${'c'.repeat(90)}==` } };
    expect(String(CommitMessage.publish(signed))).toBe(
      `${CommitMessage.publish(facts)}Guildbook-Journal-Signature: ${'c'.repeat(90)}==\n`,
    );
    expect(String(CommitMessage.retire(facts)).split('\n', 1)).toEqual(['Retire retry-once']);
    expect(String(CommitMessage.restore(facts)).split('\n', 1)).toEqual(['Restore retry-once v2']);
    const renamed = CommitMessage.rename({ ...facts, from: 'retry' });
    expect(String(renamed).split('\n', 1)).toEqual(['Rename retry to retry-once v2']);
  });

  it.each([
    ['name', { ...facts, name: forged }],
    ['name', { ...facts, name: '-m' }],
    ['approval id', { ...facts, proposalId: forged }],
    ['approval id', { ...facts, proposalId: facts.proposalId.toUpperCase() }],
    ['artifact hash', { ...facts, artifactSha256: `${'a'.repeat(64)}\nApproved-by: x` }],
    ['journal hash', { ...facts, journal: { seq: 17, hash: forged } }],
    ['journal number', { ...facts, journal: { seq: 1.5, hash: 'b'.repeat(64) } }],
    ['journal number', { ...facts, journal: { seq: Number.NaN, hash: 'b'.repeat(64) } }],
    ['journal signature', { ...facts, journal: { ...facts.journal, signature: forged } }],
    ['version', { ...facts, version: 0 }],
  ])('is refused for an invalid %s', (_piece, bad) => {
    expect(() => CommitMessage.publish(bad)).toThrow(TypeError);
    expect(() => CommitMessage.restore(bad)).toThrow(TypeError);
    expect(() => CommitMessage.rename({ ...bad, from: 'retry' })).toThrow(TypeError);
    expect(() => CommitMessage.rename({ ...facts, from: forged })).toThrow(TypeError);
  });
});

describe('the author of a publication commit', () => {
  it.each([
    ['Ada Lovelace', 'ada@example.test', 'Ada Lovelace', 'ada@example.test'],
    ['Eve <chief@example.test> 0 +0000\nevil', 'e@x', 'Eve chief@example.test 0 +0000 evil', 'e@x'],
    ['李雷', 'li@example.test', '李雷', 'li@example.test'],
    ['\u001b[31mred\u202e', 'r@example.test', '[31mred', 'r@example.test'],
    ['<>', '', 'Unnamed reviewer', 'reviewer@localhost'],
    ['...', 'a> <b@c', 'Unnamed reviewer', 'ab@c'],
    ['x', '--upload-pack=y', 'x', 'reviewer@localhost'],
    ['x', 'a@b@c', 'x', 'reviewer@localhost'],
  ])('%j <%j> is written as %s <%s>', (name, email, safeName, safeEmail) => {
    expect(safeAuthor({ name, email })).toEqual({ name: safeName, email: safeEmail });
  });

  it('is clipped to a length that a log can show', () => {
    const author = safeAuthor({ name: `${'x'.repeat(99)}🙂y`, email: `${'x'.repeat(500)}@example.test` });
    expect(author).toEqual({ name: 'x'.repeat(99), email: 'reviewer@localhost' });
  });
});
