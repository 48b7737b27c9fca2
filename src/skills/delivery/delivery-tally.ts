/** When a lesson reaches a session: at its start, with a prompt, after a failed call, or instead of a refused one. */
export const MOMENTS = ['start', 'prompt', 'failure', 'refused'] as const;
export type Moment = (typeof MOMENTS)[number];

/** `withheld`: an agent of the control group, which received nothing. */
export const ARMS = ['delivered', 'withheld'] as const;
export type DeliveryArm = (typeof ARMS)[number];

/** The deliveries of one agent at one moment in one arm. */
export interface DeliveryTally {
  readonly agentId: string;
  readonly moment: Moment;
  readonly arm: DeliveryArm;
  readonly deliveries: number;
  readonly judged: number;
  readonly followed: number;
  readonly overcome: number;
  /** Sums over those in which the action worked in the end, and how many they are. */
  readonly calls: number;
  readonly seconds: number;
  readonly solved: number;
  /** In how many the failure came again in the session, and in a later one of the agent. */
  readonly again: number;
  readonly later: number;
}
