import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { MemoryDerivations } from '../../memory/provenance/memory-derivations.service.js';
import type { Reader } from '../../memory/store/recallable-memory.js';
import { Database } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { gateVerdict } from './gate.js';
import type { GateDecision, ToolCallCheck } from './gate.schema.js';

/** Checks the memories behind a tool call: an unverified memory may be read, but authorises no change. */
@Injectable()
export class Gate {
  constructor(
    private readonly database: Database,
    private readonly journal: Journal,
    private readonly derivations: MemoryDerivations,
    private readonly references: IdentifierReferences,
  ) {}

  /** Returns the decision after it is in the journal. If the journal entry fails, there is no decision. */
  check(actor: AgentActor, reader: Reader, call: ToolCallCheck): Promise<GateDecision> {
    return this.database.transaction(async (tx) => {
      const { visible, derivations, complete } = await this.derivations.resolve(tx, reader, call.memories);
      const { allowed, reasons } = gateVerdict(call.memories, visible, derivations, call.tool.effect, complete);
      await this.journal.append(tx, actor, {
        action: allowed ? 'gate.allowed' : 'gate.denied',
        subject: { type: 'agent', id: actor.id },
        data: {
          tool: call.tool,
          memories: [...new Set(call.memories)].sort(),
          reasons,
          ...(call.sessionId === undefined ? {} : { session: this.references.of(call.sessionId) }),
        },
      });
      return { decision: allowed ? 'allow' : 'deny', reasons: [...reasons] };
    });
  }
}
