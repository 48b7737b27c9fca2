import { clearCookie, readCookie, setCookie } from '../../access/sign-in/cookie.js';
import { say } from '../texts/texts.js';

/** What was just done, told on the next page. In a cookie of a minute: a link cannot make the page say it. */
export const FLASH_COOKIE = '__Host-guildbook-done';

export const FLASH_KINDS = [
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
export type FlashKind = (typeof FLASH_KINDS)[number];

export interface FlashMessage {
  readonly kind: FlashKind;
  readonly id: string;
  readonly name: string;
}

const VALUE = /^([a-z]{4,8})\.([0-9a-f-]{36})\.([a-z0-9-]{1,64})$/;

export const flashCookie = ({ kind, id, name }: FlashMessage): string =>
  setCookie(FLASH_COOKIE, `${kind}.${id}.${name}`, 60);

/** What the cookie tells, and the cookie that ends it. */
export function readFlash(header: string | undefined): (FlashMessage & { readonly end: string }) | undefined {
  const [, word, id = '', name = ''] = readCookie(header, FLASH_COOKIE)?.match(VALUE) ?? [];
  const kind = FLASH_KINDS.find((known) => known === word);
  return kind && { kind, id, name, end: clearCookie(FLASH_COOKIE) };
}

/** As a page shows it, with the way back where there is one. */
export function flashView({ kind, id, name }: FlashMessage) {
  const undo = kind === 'rejected' ? 'reopen' : kind === 'approved' ? 'revoke' : undefined;
  return {
    says: say(`done.${kind}`, { name }),
    undo: undo === undefined ? null : { action: `/review/${id}/${undo}`, reason: say('done.undo-reason') },
  };
}
