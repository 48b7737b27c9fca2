import { Body, Controller, Post, Res, UseFilters } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentAdmin } from '../access/caller.decorator.js';
import { Evolver } from '../evolve/evolver.service.js';
import type { AdminActor } from '../journal/actor.js';
import { Access } from '../platform/access.decorator.js';
import { ConsoleProblems } from './problems.filter.js';

const CycleForm = z.object({ dryRun: z.literal('true').optional() });
type CycleForm = z.infer<typeof CycleForm>;

@ApiExcludeController()
@UseFilters(ConsoleProblems)
@Controller('cycles')
export class CyclesController {
  constructor(private readonly evolver: Evolver) {}

  @Post()
  @Access('administer', 'person')
  @RouteConfig({ takesForm: true })
  async run(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: CycleForm }) { dryRun }: CycleForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.evolver.run(actor, { trigger: 'request', dryRun: dryRun !== undefined });
    await reply.redirect('/', 303);
  }
}
