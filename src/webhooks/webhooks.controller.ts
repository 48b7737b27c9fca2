import { Body, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor } from '../journal/actor.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import {
  AddedWebhook,
  NewWebhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookDeliveryQuery,
  WebhookList,
} from './webhooks.schema.js';
import { Webhooks } from './webhooks.service.js';

@ApiController('webhooks', 'v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: Webhooks) {}

  @Get()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Webhooks for proposals, decisions and cycles' })
  @Returns(200, WebhookList)
  listWebhooks(): Promise<WebhookList> {
    return this.webhooks.list();
  }

  @Post()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Add a webhook; its secret is shown only once' })
  @Returns(201, AddedWebhook)
  @Refuses(409, 'webhook.too_many')
  addWebhook(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewWebhook }) body: NewWebhook): Promise<AddedWebhook> {
    return this.webhooks.add(actor, body);
  }

  @Delete(':id')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Remove a webhook, its secret and its deliveries' })
  @Returns(204)
  @Refuses(404, 'webhook.not_found')
  removeWebhook(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<void> {
    return this.webhooks.remove(actor, id);
  }

  @Post(':id/test')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Send a test message now and return the result' })
  @Returns(200, WebhookDelivery)
  @Refuses(404, 'webhook.not_found')
  testWebhook(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<WebhookDelivery> {
    return this.webhooks.test(actor, id);
  }

  @Get(':id/deliveries')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Deliveries of a webhook, newest first, with the last response' })
  @Returns(200, WebhookDeliveryList)
  @Refuses(404, 'webhook.not_found')
  listWebhookDeliveries(
    @PathId() id: string,
    @Query({ schema: WebhookDeliveryQuery }) query: WebhookDeliveryQuery,
  ): Promise<WebhookDeliveryList> {
    return this.webhooks.deliveries(id, query.limit);
  }
}
