export type Part = 'people' | 'agents' | 'services' | 'webhooks' | 'audit' | 'server';

export const pathOf = (part: Part): string => (part === 'people' ? '/settings' : `/settings/${part}`);

/** The section of the settings, for its heading and tabs. */
export const frameOf = (part: Part) => ({ part, path: pathOf(part) });
