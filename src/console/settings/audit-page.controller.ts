import { Body, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentAdmin } from '../../access/identity/caller.decorator.js';
import type { AdminActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { type AuditStream, NewAuditStream } from '../../webhooks/audit-streams.schema.js';
import { AuditStreams } from '../../webhooks/audit-streams.service.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { moment } from '../frame/in-words.js';
import { sendPage } from '../frame/pages.view.js';
import { sendSigningSecret } from './signing-secret.view.js';

/** Where the journal is sent. For administrators. */
@ConsoleController('settings/audit')
export class AuditPageController {
  constructor(
    private readonly clock: Clock,
    private readonly streams: AuditStreams,
  ) {}

  @Get()
  @RequireScope('administer', 'person')
  async show(@Res() reply: FastifyReply): Promise<void> {
    const { items } = await this.streams.list();
    const now = this.clock.now();
    const view = { part: 'audit', rows: items.map((stream) => auditStreamRow(stream, now)) };
    await sendPage(reply, {
      template: 'settings-audit',
      title: 'Settings',
      section: 'settings',
      view,
    });
  }

  @PostForm()
  @RequireScope('administer', 'person')
  async add(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: NewAuditStream }) form: NewAuditStream,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { target: url, secret } = await this.streams.add(actor, form);
    await sendSigningSecret(reply, { url, secret, heading: 'Audit stream added', back: '/settings/audit' });
  }

  @PostForm(':id/remove')
  @RequireScope('administer', 'person')
  async remove(@CurrentAdmin() actor: AdminActor, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.streams.remove(actor, id);
    await reply.redirect('/settings/audit', 303);
  }
}

/** An audit stream as a row of the settings. A file has no button: a setting names it. */
function auditStreamRow(stream: AuditStream, now: Date) {
  const { id, kind, target, acknowledged, pending, acknowledgedAt, failures, failingSince } = stream;
  const answer = [stream.lastStatus, stream.lastAnswer].filter((part) => part !== null && part !== '').join(' ');
  return {
    id,
    target,
    acknowledged,
    pending,
    isFile: kind === 'file',
    last: acknowledgedAt === null ? null : moment(acknowledgedAt, now),
    failing: failingSince && moment(failingSince, now).says,
    failures,
    answer,
  };
}
