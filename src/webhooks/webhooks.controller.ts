import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor } from '../journal/actor.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { Returns } from '../platform/http/returns.decorator.js';
import {
  AddedWebhook,
  NewWebhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookDeliveryQuery,
  WebhookList,
} from './webhooks.schema.js';
import { Webhooks } from './webhooks.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('webhooks')
@ApiBearerAuth()
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: Webhooks) {}

  @Get()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Webhooks for proposals and decisions' })
  @Returns(200, WebhookList)
  list(): Promise<WebhookList> {
    return this.webhooks.list();
  }

  @Post()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Add a webhook; its secret is shown only once' })
  @Returns(201, AddedWebhook)
  add(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewWebhook }) body: NewWebhook): Promise<AddedWebhook> {
    return this.webhooks.add(actor, body);
  }

  @Delete(':id')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Remove a webhook, its secret and its deliveries' })
  @Returns(204)
  remove(@CurrentAdmin() actor: AdminActor, @Param('id', { schema: Id }) id: string): Promise<void> {
    return this.webhooks.remove(actor, id);
  }

  @Post(':id/test')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Send a test message now and return the result' })
  @Returns(200, WebhookDelivery)
  test(@CurrentAdmin() actor: AdminActor, @Param('id', { schema: Id }) id: string): Promise<WebhookDelivery> {
    return this.webhooks.test(actor, id);
  }

  @Get(':id/deliveries')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Deliveries of a webhook, newest first, with the last response' })
  @Returns(200, WebhookDeliveryList)
  deliveries(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: WebhookDeliveryQuery }) query: WebhookDeliveryQuery,
  ): Promise<WebhookDeliveryList> {
    return this.webhooks.deliveries(id, query.limit);
  }
}
