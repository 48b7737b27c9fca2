import { Module } from '@nestjs/common';
import { PublicationRepository } from './publication.repository.js';
import { PublicationOutbox } from './publication-outbox.service.js';

/** Apart from SkillsModule, so that reading skills never brings the way to publish them along. */
@Module({ providers: [PublicationRepository, PublicationOutbox], exports: [PublicationOutbox] })
export class PublicationOutboxModule {}
