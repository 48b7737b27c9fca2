import { endCookie, readCookie, setCookie } from '../../access/sign-in/cookie.js';
import { say } from '../texts/texts.js';

/** What was just done, told on the next page. In a cookie of a minute: a link cannot make the page say it. */
export const DONE_COOKIE = '__Host-guildbook-done';

export const DEEDS = [
  'approved',
  'voted',
  'rejected',
  'later',
  'reopened',
  'revoked',
  'edited',
  'resolved',
  'half',
] as const;
export type Deed = (typeof DEEDS)[number];

export interface Done {
  readonly deed: Deed;
  readonly id: string;
  readonly name: string;
}

const VALUE = /^([a-z]{4,8})\.([0-9a-f-]{36})\.([a-z0-9-]{1,64})$/;

export const rememberDone = ({ deed, id, name }: Done): string => setCookie(DONE_COOKIE, `${deed}.${id}.${name}`, 60);

/** What the cookie tells, and the cookie that ends it. */
export function readDone(header: string | undefined): (Done & { readonly end: string }) | undefined {
  const [, word, id = '', name = ''] = readCookie(header, DONE_COOKIE)?.match(VALUE) ?? [];
  const deed = DEEDS.find((known) => known === word);
  return deed && { deed, id, name, end: endCookie(DONE_COOKIE) };
}

/** As a page shows it, with the way back where there is one. */
export function doneOf({ deed, id, name }: Done) {
  const undo = deed === 'rejected' ? 'reopen' : deed === 'approved' ? 'revoke' : undefined;
  return {
    says: say(`done.${deed}`, { name }),
    undo: undo === undefined ? null : { action: `/review/${id}/${undo}`, reason: say('done.undo-reason') },
  };
}
