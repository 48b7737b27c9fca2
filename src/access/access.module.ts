import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessController } from './access.controller.js';
import { AgentResolver } from './identity/agent-resolver.service.js';
import { AuthService } from './identity/auth.service.js';
import { CredentialRepository } from './identity/credential.repository.js';
import { FirstAdministrator } from './identity/first-administrator.service.js';
import { OwnAgents } from './identity/own-agents.service.js';
import { PrincipalRepository } from './identity/principal.repository.js';
import { Principals } from './identity/principals.service.js';
import { RateLimits } from './identity/rate-limits.service.js';
import { ReporterResolver } from './identity/reporter-resolver.service.js';
import { AccessGuard } from './sign-in/access.guard.js';
import { CrossOriginProtection } from './sign-in/cross-origin-protection.service.js';
import { FirstStart } from './sign-in/first-start.service.js';
import { OpenId } from './sign-in/open-id.service.js';
import { RequestCallers } from './sign-in/request-callers.service.js';
import { SignIns } from './sign-in/sign-ins.service.js';

@Module({
  controllers: [AccessController],
  providers: [
    PrincipalRepository,
    CredentialRepository,
    AuthService,
    Principals,
    OwnAgents,
    FirstAdministrator,
    FirstStart,
    ReporterResolver,
    AgentResolver,
    RateLimits,
    SignIns,
    OpenId,
    CrossOriginProtection,
    RequestCallers,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [
    AuthService,
    RateLimits,
    Principals,
    FirstStart,
    ReporterResolver,
    AgentResolver,
    SignIns,
    OpenId,
    CrossOriginProtection,
  ],
})
export class AccessModule {}
