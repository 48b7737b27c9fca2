import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessController } from './access.controller.js';
import { Access } from './identity/access.service.js';
import { Agents } from './identity/agents.service.js';
import { CredentialRepository } from './identity/credential.repository.js';
import { PrincipalRepository } from './identity/principal.repository.js';
import { Principals } from './identity/principals.service.js';
import { RateLimits } from './identity/rate-limits.service.js';
import { Reporters } from './identity/reporters.service.js';
import { AccessGuard } from './sign-in/access.guard.js';
import { BrowserRequests } from './sign-in/browser-requests.service.js';
import { OpenId } from './sign-in/open-id.service.js';
import { SignIns } from './sign-in/sign-ins.service.js';

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
