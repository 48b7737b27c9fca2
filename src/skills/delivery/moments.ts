/** When a lesson reaches a session: at its start, with a prompt, after a failed call, or instead of a refused one. */
export const MOMENTS = ['start', 'prompt', 'failure', 'refused'] as const;
export type Moment = (typeof MOMENTS)[number];

/** `withheld`: an agent of the control group, which received nothing. */
export const ARMS = ['delivered', 'withheld'] as const;
export type DeliveryArm = (typeof ARMS)[number];
