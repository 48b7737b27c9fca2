import { describe, expect, it } from '@jest/globals';
import { asAdmin, asProposer, asReviewer, asReviewerOrAdmin, type Caller, requireAccess } from './caller.js';

const REVIEWER: Caller = {
  id: 'p1',
  credentialId: 'c1',
  kind: 'person',
  name: 'Rosa',
  email: 'rosa@example.org',
  owner: null,
  role: null,
  department: null,
  isReviewer: true,
  isAdmin: false,
  reviewScope: null,
  scopes: ['read', 'decide'],
  expiresAt: '2026-03-01T11:00:00.000Z',
};
const AGENT: Caller = { ...REVIEWER, kind: 'agent', email: null, isReviewer: false, scopes: ['report', 'read'] };
const SERVICE: Caller = { ...AGENT, kind: 'service', scopes: ['report-for', 'read', 'propose'] };

describe('who can decide', () => {
  it('a person with the reviewer role and a credential for it', () => {
    expect(asReviewer(REVIEWER)).toEqual({
      kind: 'reviewer',
      id: 'p1',
      name: 'Rosa',
      email: 'rosa@example.org',
      reviewScope: null,
    });
  });

  it.each<[string, Caller]>([
    ['an agent', AGENT],
    ['a service', SERVICE],
    ['an agent with the scope and the role', { ...REVIEWER, kind: 'agent' }],
    ['a service with the scope and the role', { ...REVIEWER, kind: 'service' }],
    ['a person who lost the role', { ...REVIEWER, isReviewer: false }],
    ['a reviewer with a read-only credential', { ...REVIEWER, scopes: ['read'] }],
    ['an administrator', { ...REVIEWER, isReviewer: false, isAdmin: true, scopes: ['read', 'administer'] }],
    ['a reviewer without an address for commits', { ...REVIEWER, email: null }],
  ])('is not %s', (_who, caller) => {
    expect(() => asReviewer(caller)).toThrow(
      expect.objectContaining({ kind: 'forbidden', code: 'access.not_a_reviewer' }),
    );
  });
});

describe('who can administer', () => {
  const admin: Caller = { ...REVIEWER, isAdmin: true, scopes: ['read', 'administer'] };

  it('a person with that role and a credential for it', () => {
    expect(asAdmin(admin)).toEqual({ kind: 'admin', id: 'p1', name: 'Rosa' });
    const others: Caller[] = [
      REVIEWER,
      AGENT,
      { ...admin, kind: 'service' },
      { ...admin, isAdmin: false },
      { ...admin, scopes: ['read'] },
    ];
    for (const caller of others)
      expect(() => asAdmin(caller)).toThrow(expect.objectContaining({ code: 'access.not_an_admin' }));
  });
});

describe('who can start a cycle', () => {
  it('an administrator, or a service with the scope propose, as a requested job', () => {
    const admin: Caller = { ...REVIEWER, isAdmin: true, scopes: ['read', 'administer'] };
    expect(asProposer(admin)).toEqual({ kind: 'job', id: 'p1', name: 'requested by Rosa' });
    expect(asProposer(SERVICE)).toEqual({ kind: 'job', id: 'p1', name: 'requested by Rosa' });
    const others: Caller[] = [
      REVIEWER,
      { ...AGENT, scopes: ['propose'] },
      { ...REVIEWER, scopes: ['propose'] },
      { ...SERVICE, scopes: ['read', 'report-for'] },
    ];
    for (const caller of others)
      expect(() => asProposer(caller)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  });
});

describe('who is responsible for what agents receive', () => {
  it('a reviewer or else an administrator, and no other caller', () => {
    const admin: Caller = { ...REVIEWER, isReviewer: false, isAdmin: true, scopes: ['read', 'administer'] };
    expect(asReviewerOrAdmin(REVIEWER)).toMatchObject({ kind: 'reviewer', id: 'p1' });
    expect(asReviewerOrAdmin({ ...REVIEWER, isAdmin: true })).toMatchObject({ kind: 'reviewer' });
    expect(asReviewerOrAdmin(admin)).toEqual({ kind: 'admin', id: 'p1', name: 'Rosa' });
    for (const caller of [AGENT, SERVICE, { ...REVIEWER, isReviewer: false }, { ...admin, kind: 'service' as const }])
      expect(() => asReviewerOrAdmin(caller)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  });
});

describe('a route', () => {
  const decide = [{ scope: 'decide', kinds: ['person'] }] as const;
  const report = [
    { scope: 'report', kinds: ['agent'] },
    { scope: 'report-for', kinds: ['service', 'person'] },
  ] as const;

  it('admits a caller whose kind and scope fit one rule', () => {
    expect(() => requireAccess(REVIEWER, decide)).not.toThrow();
    expect(() => requireAccess(AGENT, report)).not.toThrow();
    expect(() => requireAccess(SERVICE, report)).not.toThrow();
  });

  it('admits by any of several rules for one kind, and its error names the scope of the first', () => {
    const either = [...decide, { scope: 'administer', kinds: ['person'] }] as const;
    expect(() => requireAccess({ ...REVIEWER, scopes: ['administer'] }, either)).not.toThrow();
    expect(() => requireAccess({ ...REVIEWER, scopes: ['read'] }, either)).toThrow(/lacks the scope "decide"/);
  });

  it('does not apply the scope of one rule to the kind of another', () => {
    const crossed: Caller[] = [
      { ...AGENT, scopes: ['report-for', 'read'] },
      { ...SERVICE, scopes: ['report', 'read'] },
      { ...REVIEWER, scopes: ['report'] },
    ];
    for (const caller of crossed)
      expect(() => requireAccess(caller, report)).toThrow(expect.objectContaining({ code: 'access.scope_missing' }));
  });

  it('rejects a caller who is not a person from deciding, even with the scope', () => {
    for (const kind of ['agent', 'service'] as const)
      expect(() => requireAccess({ ...REVIEWER, kind }, decide)).toThrow(
        expect.objectContaining({ kind: 'forbidden', code: 'access.not_a_person' }),
      );
  });

  it('rejects a kind that no rule names', () => {
    expect(() => requireAccess(AGENT, [{ scope: 'read', kinds: ['person'] }])).toThrow(
      expect.objectContaining({ code: 'access.wrong_kind' }),
    );
    expect(() => requireAccess(REVIEWER, [])).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  });
});
