import type { DeliveryArm, Moment } from './moments.js';

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
