import { Module } from '@nestjs/common';
import { PublicationRepository } from './publication.repository.js';
import { PublicationOutbox } from './publication-outbox.service.js';

/** Separate from SkillsModule, so that reading skills never makes publishing available. */
@Module({ providers: [PublicationRepository, PublicationOutbox], exports: [PublicationOutbox] })
export class PublicationOutboxModule {}
