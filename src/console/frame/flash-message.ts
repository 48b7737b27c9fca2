import { clearCookie, readCookie, setCookie } from '../../access/sign-in/cookie.js';

/**
 * The confirmation of the last action for the next page. It is in a cookie that lives one minute, so that a link cannot
 * forge it.
 */
export const FLASH_COOKIE = '__Host-guildbook-flash';

export const FLASH_KINDS = [
  'approved',
  'voted',
  'rejected',
  'snoozed',
  'reopened',
  'retired',
  'edited',
  'resolved',
  'half',
  'verified',
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

/** The message of the cookie, and the cookie that clears it; undefined without a valid message. */
export function readFlash(header: string | undefined): (FlashMessage & { readonly end: string }) | undefined {
  const [, word, id = '', name = ''] = readCookie(header, FLASH_COOKIE)?.match(VALUE) ?? [];
  const kind = FLASH_KINDS.find((known) => known === word);
  return kind && { kind, id, name, end: clearCookie(FLASH_COOKIE) };
}

/** The message for a page, with the address of the form that undoes the action where there is one. */
export function flashView({ kind, id, name }: FlashMessage) {
  const undo = kind === 'rejected' ? 'reopen' : kind === 'approved' ? 'retire' : undefined;
  return { kind, name, undo: undo === undefined ? null : `/review/${id}/${undo}` };
}
