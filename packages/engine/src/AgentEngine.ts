// Runs one message through a driver, the processor and the presenters.
//
// Invariants:
// 1. An engine is frozen configuration. A `receive` keeps its state in local variables, so
//    calls never see each other and any instance can take any agent's next message.
// 2. Every event is presented, to one presenter after the other, before it is processed;
//    each output is presented and re-injected in turn, until there are no more outputs.
// 3. Whatever the driver does, `receive` resolves after one `turn_response`. It rejects
//    only if a presenter does, and then the driver is closed first.

import { createAgentProcessor, initialAgentState } from './AgentProcessor.ts';
import type { AgentProcessor } from './AgentProcessor.ts';
import type { Driver, UserMessage } from './Driver.ts';
import type { EngineEvent } from './events.ts';
import { DriverStream } from './internal/index.ts';
import type { Prices } from './internal/index.ts';
import type { Presenter } from './Presenter.ts';

export interface AgentEngineConfiguration<Message = UserMessage> {
  readonly driver: Driver<Message>;
  readonly presenters: readonly Presenter[];
  readonly prices?: Prices;
}

export class AgentEngine<Message = UserMessage> {
  readonly driver: Driver<Message>;
  readonly presenters: readonly Presenter[];
  readonly processor: AgentProcessor;

  constructor({ driver, presenters, prices }: AgentEngineConfiguration<Message>) {
    this.driver = driver;
    this.presenters = Object.freeze([...presenters]);
    this.processor = createAgentProcessor(prices);
    Object.freeze(this);
  }

  async receive(agentId: string, message: Message): Promise<void> {
    const stream = new DriverStream(this.driver, message);
    // A stack: an output's own outputs come before its next sibling.
    const pending: EngineEvent[] = [];
    let state = initialAgentState;
    try {
      while (!stream.ended) {
        let event: EngineEvent | undefined = await stream.next();
        while (event !== undefined) {
          for (const presenter of this.presenters) {
            const presented = presenter(agentId, event);
            if (presented !== undefined) await presented;
          }
          const [next, outputs] = this.processor(state, event);
          state = next;
          for (let index = outputs.length - 1; index >= 0; index -= 1) pending.push(outputs[index]!);
          event = pending.pop();
        }
      }
    } finally {
      await stream.close();
    }
  }
}
