import { Inject, Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { MemoryDerivations } from '../../memory/provenance/memory-derivations.service.js';
import type { Reader } from '../../memory/store/recallable-memory.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Deliveries } from '../../skills/delivery/deliveries.service.js';
import { gateVerdict } from './gate.js';
import type { GateDecision, ToolCallCheck } from './gate.schema.js';

const NONE: ReadonlySet<string> = new Set();

/**
 * Checks the memories behind a tool call: those that the caller names, and those that its session received. An unverified
 * memory may be read, but authorises no change.
 */
@Injectable()
export class Gate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly journal: Journal,
    private readonly derivations: MemoryDerivations,
    private readonly references: IdentifierReferences,
    private readonly deliveries: Deliveries,
  ) {}

  /** Returns the decision after it is in the journal. If the journal entry fails, there is no decision. */
  check(actor: AgentActor, reader: Reader, call: ToolCallCheck): Promise<GateDecision> {
    return this.database.transaction(async (tx) => {
      const { sessionId } = call;
      const received = sessionId === undefined ? [] : await this.deliveries.receivedBy(actor.id, sessionId, tx);
      const memories = [...new Set([...call.memories, ...received])];
      const { visible, derivations, complete } = await this.derivations.resolve(tx, reader, memories);
      const { effect } = call.tool;
      const authorised = effect === 'reads' ? NONE : await this.authorised(tx, derivations);
      const { allowed, reasons } = gateVerdict(memories, visible, derivations, authorised, effect, complete);
      await this.journal.append(tx, actor, {
        action: allowed ? 'gate.allowed' : 'gate.denied',
        subject: { type: 'agent', id: actor.id },
        data: {
          tool: call.tool,
          memories: memories.sort(),
          reasons,
          ...(sessionId === undefined ? {} : { session: this.references.of(sessionId) }),
        },
      });
      return { decision: allowed ? 'allow' : 'deny', reasons: [...reasons] };
    });
  }

  /** Returns the memories that may authorise a change, by the evidence that GUILDBOOK_GATE_EVIDENCE asks for. */
  private async authorised(tx: Tx, derivations: readonly { readonly id: string }[]): Promise<ReadonlySet<string>> {
    const authorities = await this.derivations.authorities(tx, [...new Set(derivations.map(({ id }) => id))]);
    const accepted = this.config.gateEvidence === 'person' ? ['person'] : ['person', 'owners'];
    return new Set([...authorities].flatMap(([id, authority]) => (accepted.includes(authority) ? [id] : [])));
  }
}
