/** What the server says to one event. There is no way to allow a call or to have a person asked (decision 28). */
export type HookAnswer =
  | { readonly kind: 'nothing' }
  /** A text for the model. */
  | { readonly kind: 'text'; readonly text: string }
  /** Refuses the call, which the event is about, with a reason for the model. */
  | { readonly kind: 'refuse'; readonly reason: string };

export const NOTHING: HookAnswer = { kind: 'nothing' };

/** The longest text for a model, in characters: half of what the strictest product delivers whole. */
export const LONGEST_TEXT = 4_000;
