import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor } from '../journal/actor.js';
import { Access } from '../platform/http/access.decorator.js';
import { Answers } from '../platform/http/answers.decorator.js';
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
  @Access('administer', 'person')
  @ApiOperation({ summary: 'Who is told of items and decisions' })
  @Answers(200, WebhookList)
  list(): Promise<WebhookList> {
    return this.webhooks.list();
  }

  @Post()
  @Access('administer', 'person')
  @ApiOperation({ summary: 'Have an https address told; its secret is shown this once' })
  @Answers(201, AddedWebhook)
  add(@CurrentAdmin() actor: AdminActor, @Body({ schema: NewWebhook }) body: NewWebhook): Promise<AddedWebhook> {
    return this.webhooks.add(actor, body);
  }

  @Delete(':id')
  @Access('administer', 'person')
  @ApiOperation({ summary: 'Remove an address, its secret and what was to be told there' })
  @Answers(204)
  remove(@CurrentAdmin() actor: AdminActor, @Param('id', { schema: Id }) id: string): Promise<void> {
    return this.webhooks.remove(actor, id);
  }

  @Post(':id/test')
  @Access('administer', 'person')
  @ApiOperation({ summary: 'Send one message now, and say what came of it' })
  @Answers(200, WebhookDelivery)
  test(@CurrentAdmin() actor: AdminActor, @Param('id', { schema: Id }) id: string): Promise<WebhookDelivery> {
    return this.webhooks.test(actor, id);
  }

  @Get(':id/deliveries')
  @Access('administer', 'person')
  @ApiOperation({ summary: 'What was told there, newest first, with the last answer' })
  @Answers(200, WebhookDeliveryList)
  deliveries(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: WebhookDeliveryQuery }) query: WebhookDeliveryQuery,
  ): Promise<WebhookDeliveryList> {
    return this.webhooks.deliveries(id, query.limit);
  }
}
