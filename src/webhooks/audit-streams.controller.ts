import { Body, Delete, Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor } from '../journal/actor.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { AddedAuditStream, AuditStreamList, NewAuditStream } from './audit-streams.schema.js';
import { AuditStreams } from './audit-streams.service.js';

@ApiController('journal', 'v1/journal/streams')
export class AuditStreamsController {
  constructor(private readonly streams: AuditStreams) {}

  @Get()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Where the journal is sent, and how far each receiver has it' })
  @Returns(200, AuditStreamList)
  listAuditStreams(): Promise<AuditStreamList> {
    return this.streams.list();
  }

  @Post()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Send the journal to an address; its secret is shown only once' })
  @Returns(201, AddedAuditStream)
  @Refuses(409, 'audit_stream.too_many', 'audit_stream.exists')
  addAuditStream(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: NewAuditStream }) body: NewAuditStream,
  ): Promise<AddedAuditStream> {
    return this.streams.add(actor, body);
  }

  @Delete(':id')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Stop sending the journal to a receiver, and forget how far it has it' })
  @Returns(204)
  @Refuses(404, 'audit_stream.not_found')
  @Refuses(409, 'audit_stream.set_by_operator')
  removeAuditStream(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<void> {
    return this.streams.remove(actor, id);
  }
}
