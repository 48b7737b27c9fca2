import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessController } from './access.controller.js';
import { AccessGuard } from './access.guard.js';
import { Access } from './access.service.js';
import { Agents } from './agents.service.js';
import { BrowserRequests } from './browser-requests.service.js';
import { CredentialRepository } from './credential.repository.js';
import { OpenId } from './open-id.service.js';
import { PrincipalRepository } from './principal.repository.js';
import { Principals } from './principals.service.js';
import { RateLimits } from './rate-limits.service.js';
import { Reporters } from './reporters.service.js';
import { SignIns } from './sign-ins.service.js';

@Module({
  controllers: [AccessController],
  providers: [
    PrincipalRepository,
    CredentialRepository,
    Access,
    Principals,
    Reporters,
    Agents,
    RateLimits,
    SignIns,
    OpenId,
    BrowserRequests,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [Access, RateLimits, Principals, Reporters, Agents, SignIns, OpenId, BrowserRequests],
})
export class AccessModule {}
