import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Tombstones } from './lessons/tombstones.service.js';
import { Tombstone, TombstoneList, TombstoneQuery } from './store/memory.schema.js';

@ApiController('lessons', 'v1/tombstones')
export class TombstonesController {
  constructor(private readonly tombstones: Tombstones) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Memories that have ended, with what superseded them, by whom and when; newest end first' })
  @Returns(200, TombstoneList)
  listTombstones(@Query({ schema: TombstoneQuery }) query: TombstoneQuery): Promise<TombstoneList> {
    return this.tombstones.list(query);
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'One memory that has ended' })
  @Returns(200, Tombstone)
  @Refuses(404, 'memory.unknown_tombstone')
  showTombstone(@PathId() id: string): Promise<Tombstone> {
    return this.tombstones.show(id);
  }
}
