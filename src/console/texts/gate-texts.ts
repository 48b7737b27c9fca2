/** Texts about lessons that refuse a call. */
export const GATE_TEXTS = {
  'gate.title': 'Gate',
  'gate.says': 'Refuses a call that it is about once in a session, with this lesson.',
  'gate.drops': 'No gate any more: the live version refuses a call once, and this version does not.',
  'edit.field.gate': 'Refuse a call once, with this lesson',
  'edit.help.gate':
    'Where hooks ask before a call, the first call of a session that this lesson is about is refused, with the lesson as the reason; the same call then passes.',
} as const;
