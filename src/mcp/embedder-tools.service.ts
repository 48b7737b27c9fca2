import type { McpServer } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { asAdmin, type Caller } from '../access/identity/caller.js';
import type { AdminActor } from '../journal/actor.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { GuardedOperation, RollbackTarget, TuningPlan } from '../tuning/checkpoints/tuning.schema.js';
import { MemoryService } from '../tuning/runs/memory.service.js';
import { READ_HINTS, textOf, toolResult, toolSchema, WRITE_HINTS } from './mcp-tool.js';

const END_HINTS = { ...WRITE_HINTS, destructiveHint: true };
const RunId = z.strictObject({ runId: z.uuid() });
const MaybeRunId = z.strictObject({ runId: z.uuid().optional() });
const Page = z.strictObject({ limit: z.int().min(1).max(100).default(20), offset: z.int().min(0).default(0) });
const NOTHING = z.strictObject({});
const guarded = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ ...GuardedOperation.shape, ...shape });

interface Tool<In extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: In;
  readonly hints: typeof READ_HINTS | typeof WRITE_HINTS;
  readonly call: (actor: AdminActor, input: z.output<In>) => Promise<object>;
}

/** The verbs of the memory service, for administrators. Each call makes the same checks as over REST. */
@Injectable()
export class EmbedderTools {
  constructor(private readonly memory: MemoryService) {}

  /** Throws `forbidden` unless the caller is an administrator on a token that expires. */
  register(server: McpServer, caller: Caller): void {
    const actor = asAdmin(caller);
    if (caller.expiresAt === null)
      throw new DomainError('forbidden', 'access.not_an_admin', 'Only a token that expires can do this.');
    this.registerReads(server, actor);
    this.registerRuns(server, actor);
    this.registerGuarded(server, actor);
  }

  private registerReads(server: McpServer, actor: AdminActor): void {
    add(server, actor, {
      name: 'embedder_preflight',
      title: 'Preflight of a tuning run',
      hints: READ_HINTS,
      description: 'Says what a tuning run would read, and whether its result could be deployed.',
      input: TuningPlan,
      call: (_, plan) => this.memory.preflight(plan),
    });
    add(server, actor, {
      name: 'embedder_status',
      title: 'Status of a tuning run',
      hints: READ_HINTS,
      description: 'Returns a tuning run with its stage and progress: the active one, the newest, or the one named.',
      input: MaybeRunId,
      call: (_, { runId }) => this.memory.status(runId),
    });
    add(server, actor, {
      name: 'embedder_runs',
      title: 'List tuning runs',
      hints: READ_HINTS,
      description: 'Returns a page of the tuning runs, newest first, and how many there are.',
      input: Page,
      call: (_, page) => this.memory.listRuns(page),
    });
    add(server, actor, {
      name: 'embedder_active',
      title: 'Embedder in service',
      hints: READ_HINTS,
      description: 'Returns the embedder in service and its checkpoint.',
      input: NOTHING,
      call: () => this.memory.activeEmbedder(),
    });
    add(server, actor, {
      name: 'embedder_checkpoints',
      title: 'List checkpoints',
      hints: READ_HINTS,
      description: 'Returns what tuning runs made, newest first.',
      input: NOTHING,
      call: () => this.memory.listCheckpoints(),
    });
  }

  private registerRuns(server: McpServer, actor: AdminActor): void {
    add(server, actor, {
      name: 'embedder_train',
      title: 'Start a tuning run',
      hints: WRITE_HINTS,
      description: 'Starts a tuning run in the background. Ask embedder_status for its progress.',
      input: TuningPlan,
      call: (admin, plan) => this.memory.start(admin, plan),
    });
    add(server, actor, {
      name: 'embedder_resume',
      title: 'Resume a tuning run',
      hints: WRITE_HINTS,
      description: 'Goes on with a tuning run that failed or was cancelled.',
      input: RunId,
      call: (admin, { runId }) => this.memory.resume(admin, runId),
    });
  }

  private registerGuarded(server: McpServer, actor: AdminActor): void {
    add(server, actor, {
      name: 'embedder_cancel',
      title: 'Cancel the tuning run',
      hints: END_HINTS,
      description: 'Cancels the active tuning run. Needs confirm: true and a reason.',
      input: guarded({}),
      call: (admin, operation) => this.memory.cancel(admin, operation),
    });
    add(server, actor, {
      name: 'embedder_rollback',
      title: 'Roll back the embedder',
      hints: END_HINTS,
      description:
        'Puts a checkpoint in service, or with "configured" the embedder of the settings. Needs confirm: true and a reason.',
      input: guarded({ checkpointId: RollbackTarget }),
      call: (admin, { checkpointId, ...operation }) => this.memory.rollback(admin, checkpointId, operation),
    });
    add(server, actor, {
      name: 'embedder_delete',
      title: 'Delete a checkpoint',
      hints: END_HINTS,
      description: 'Deletes the model of a checkpoint that is not in service. Needs confirm: true and a reason.',
      input: guarded({ checkpointId: z.uuid() }),
      call: (admin, { checkpointId, ...operation }) => this.memory.deleteCheckpoint(admin, checkpointId, operation),
    });
  }
}

function add<In extends z.ZodType>(
  server: McpServer,
  actor: AdminActor,
  { name, title, description, input, hints, call }: Tool<In>,
): void {
  server.registerTool(name, { title, description, inputSchema: toolSchema(input), annotations: hints }, (given) =>
    toolResult(() => call(actor, given), textOf),
  );
}
