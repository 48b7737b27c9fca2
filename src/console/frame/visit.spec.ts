import { describe, expect, it } from '@jest/globals';
import { snoozedProposals, visitOf, withSnoozed } from './visit.js';

const at = (minutes: number) => new Date(1_800_000_000_000 + minutes * 60_000);
const ID = '00000000-0000-4000-8000-000000000001';

describe('the state in a browser', () => {
  it('reports no events on the first visit', () => {
    expect(visitOf(undefined, at(0), 40)).toMatchObject({ after: 40, since: null });
    expect(visitOf('9.9; drop', at(0), 40)).toMatchObject({ after: 40, since: null });
  });

  it('reports the same events until half an hour without a page has passed', () => {
    const first = visitOf(undefined, at(0), 40);
    const later = visitOf(first.cookie, at(100), 55);
    expect(later).toMatchObject({ after: 40, since: at(0) });
    const again = visitOf(later.cookie, at(110), 60);
    expect(again).toMatchObject({ after: 40, since: at(0) });
    const tomorrow = visitOf(again.cookie, at(1_500), 90);
    expect(tomorrow).toMatchObject({ after: 60, since: at(110) });
  });

  it('holds snoozed proposals until their time, and no more than a cookie can', () => {
    const one = withSnoozed(undefined, ID, at(60), at(0));
    expect([...snoozedProposals(one, at(59)).keys()]).toEqual([ID]);
    expect(snoozedProposals(one, at(60)).size).toBe(0);
    let many: string | undefined;
    for (let n = 0; n < 100; n += 1)
      many = withSnoozed(many, `${ID.slice(0, -3)}${String(n).padStart(3, '0')}`, at(60), at(0));
    expect(snoozedProposals(many, at(0)).size).toBe(60);
    expect(many?.length).toBeLessThan(4_000);
    expect(snoozedProposals('nonsense_x:y', at(0)).size).toBe(0);
  });
});
