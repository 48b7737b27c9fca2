import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type AdminActor, jobActor } from '../journal/actor.js';
import { GENESIS } from '../journal/chain.js';
import { Journal } from '../journal/journal.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { messageOf } from '../platform/base/error-text.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { Database, isUniqueViolation } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { redact } from '../untrusted/redaction/redact.js';
import { AuditStreamRepository } from './audit-stream.repository.js';
import { AuditStreamWorker } from './audit-stream-worker.service.js';
import type { AddedAuditStream, AuditStream, AuditStreamList, NewAuditStream } from './audit-streams.schema.js';
import { hostOf, requireAddress } from './webhook-address.js';
import { newSecret } from './webhook-signature.js';

const MAX_STREAMS = 10;
const BEGINNING = { seq: 0, hash: GENESIS };

/** Administrators choose here which addresses receive the journal. A file is named by a setting alone. */
@Injectable()
export class AuditStreams implements OnApplicationBootstrap {
  private readonly logger = new Logger(AuditStreams.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly streams: AuditStreamRepository,
    private readonly worker: AuditStreamWorker,
  ) {}

  /** Adds a stream to an address. Only this response contains its secret. */
  async add(actor: AdminActor, { url, from }: NewAuditStream): Promise<AddedAuditStream> {
    requireAddress(url, this.config.webhooksAllowPrivate, 'audit_stream.invalid_address');
    const secret = newSecret(this.ids);
    const stream = await this.create(actor, { url, from, secret });
    this.worker.wake();
    return { ...stream, secret };
  }

  async list(): Promise<AuditStreamList> {
    const { seq } = await this.journal.head();
    return { items: await this.streams.list(this.database.client, seq) };
  }

  /** Ends a stream and deletes its secret and its cursor. */
  async remove(actor: AdminActor, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const stream = await this.streams.find(tx, id);
      if (stream?.kind === 'file' && stream.target === this.config.auditFile)
        throw new DomainError(
          'conflict',
          'audit_stream.set_by_operator',
          'The setting GUILDBOOK_AUDIT_FILE names this file. Take it away and restart the server first.',
        );
      if (!stream || !(await this.streams.remove(tx, id)))
        throw new DomainError('not_found', 'audit_stream.not_found', `There is no audit stream ${id}.`);
      const host = stream.kind === 'webhook' ? { host: hostOf(new URL(stream.target)) } : {};
      await this.journal.append(tx, actor, {
        action: 'audit_stream.removed',
        subject: subjectOf(id),
        data: { kind: stream.kind, ...host, acknowledged: stream.acknowledged.seq },
      });
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.addFile().catch((error: unknown) => this.logger.error(redact(messageOf(error)).text));
    this.worker.wake();
  }

  /** Adds the stream to the file of the setting, from the first entry, unless it has one. */
  private async addFile(): Promise<void> {
    const { auditFile } = this.config;
    if (auditFile === undefined) return;
    const id = this.ids.uuid();
    try {
      await this.database.transaction(async (tx) => {
        if (await this.streams.has(tx, 'file', auditFile)) return;
        await this.streams.create(tx, 0, {
          id,
          kind: 'file',
          target: auditFile,
          secret: null,
          from: BEGINNING,
          createdBy: null,
          createdAt: this.clock.now(),
        });
        await this.journal.append(tx, jobActor('audit-stream'), {
          action: 'audit_stream.added',
          subject: subjectOf(id),
          data: { kind: 'file', from: 'beginning' },
        });
      });
    } catch (error) {
      // Another process with the same setting added it at the same time.
      if (!isUniqueViolation(error)) throw error;
    }
  }

  private async create(
    actor: AdminActor,
    { url, from, secret }: NewAuditStream & { readonly secret: string },
  ): Promise<AuditStream> {
    const id = this.ids.uuid();
    const exists = () =>
      new DomainError('conflict', 'audit_stream.exists', 'This address has a stream; remove that one first.');
    try {
      return await this.database.transaction(async (tx) => {
        if ((await this.streams.count(tx, 'webhook')) >= MAX_STREAMS)
          throw new DomainError('conflict', 'audit_stream.too_many', `There are ${MAX_STREAMS} streams, the maximum.`);
        if (await this.streams.has(tx, 'webhook', url)) throw exists();
        // Appended first, so that its own entry is the newest one when the stream begins "now".
        const data = { kind: 'webhook', host: hostOf(new URL(url)), from };
        const head = await this.journal.append(tx, actor, {
          action: 'audit_stream.added',
          subject: subjectOf(id),
          data,
        });
        const createdAt = this.clock.now();
        return this.streams.create(tx, head.seq, {
          id,
          kind: 'webhook',
          target: url,
          secret,
          from: from === 'now' ? head : BEGINNING,
          createdBy: actor.id,
          createdAt,
        });
      });
    } catch (error) {
      // The same address was added at the same time.
      throw isUniqueViolation(error) ? exists() : error;
    }
  }
}

const subjectOf = (id: string) => ({ type: 'audit_stream', id });
