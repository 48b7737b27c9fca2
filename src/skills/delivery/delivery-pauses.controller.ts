import { Body, Delete, Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../../platform/http/returns.decorator.js';
import { DeliveryPause, DeliveryPauseList, NewDeliveryPause } from './delivery-pause.schema.js';
import { DeliveryPauses } from './delivery-pauses.service.js';

@ApiController('effects', 'v1/deliveries/pauses')
export class DeliveryPausesController {
  constructor(private readonly pauses: DeliveryPauses) {}

  @Get()
  @RequireScope('read', 'person')
  @ApiOperation({ summary: 'Your pauses in force; for administrators those of everyone' })
  @Returns(200, DeliveryPauseList)
  async listDeliveryPauses(@CurrentCaller() caller: Caller): Promise<DeliveryPauseList> {
    return { items: await this.pauses.list(caller) };
  }

  @Post()
  @RequireScope('read', 'person')
  @ApiOperation({ summary: 'Pause what hooks answer to your agents, everywhere or in one project or session' })
  @Returns(201, DeliveryPause)
  @Refuses(404, 'access.unknown_principal')
  @Refuses(409, 'delivery.already_paused', 'delivery.too_many_pauses')
  pauseDelivery(
    @CurrentCaller() caller: Caller,
    @Body({ schema: NewDeliveryPause }) body: NewDeliveryPause,
  ): Promise<DeliveryPause> {
    return this.pauses.pause(caller, body);
  }

  @Delete(':id')
  @RequireScope('read', 'person')
  @ApiOperation({ summary: 'End a pause of yours; for administrators of everyone' })
  @Returns(204)
  @Refuses(404, 'delivery.pause_not_found')
  resumeDelivery(@CurrentCaller() caller: Caller, @PathId() id: string): Promise<void> {
    return this.pauses.resume(caller, id);
  }
}
