import { say } from '../texts/texts.js';

const PARTS = [
  { kind: 'people', path: '/settings' },
  { kind: 'agents', path: '/settings/agents' },
  { kind: 'services', path: '/settings/services' },
  { kind: 'webhooks', path: '/settings/webhooks' },
  { kind: 'audit', path: '/settings/audit' },
  { kind: 'server', path: '/settings/server' },
] as const;
type Part = (typeof PARTS)[number]['kind'];

export const pathOf = (part: Part): string => PARTS.find(({ kind }) => kind === part)?.path ?? '/settings';

/** The heading and the tabs of a section of the settings. */
export function frameOf(part: Part) {
  return {
    path: pathOf(part),
    lead: say(`settings.${part}-lead`),
    tabs: PARTS.map(({ kind, path }) => ({ path, text: say(`settings.${kind}`), current: kind === part })),
  };
}
