import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';

/** When a lesson reaches a session: at its start, with a prompt, after a failed call, or instead of a refused one. */
export const MOMENTS = ['start', 'prompt', 'failure', 'refused'] as const;
export type Moment = (typeof MOMENTS)[number];

/** `withheld`: an agent of the control group, which received nothing. */
export type DeliveryArm = 'delivered' | 'withheld';

export interface NewDelivery {
  readonly id: string;
  readonly memoryId: string;
  readonly skillName: string | null;
  readonly version: number | null;
  readonly agentId: string;
  readonly session: string;
  readonly harness: string;
  readonly moment: Moment;
  readonly shape: string;
  readonly arm: DeliveryArm;
  readonly at: Date;
}

@Injectable()
export class DeliveryRepository {
  /** Returns false if this lesson was delivered in this session at this moment and for this shape before. */
  async insert(tx: Tx, delivery: NewDelivery): Promise<boolean> {
    const { count } = await tx.delivery.createMany({ data: delivery, skipDuplicates: true });
    return count === 1;
  }
}
