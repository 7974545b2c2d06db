// One model call: the engine turns the model's stream into messages, and what it presents becomes events.

import { AgentEngine, type EngineEvent } from '@continuo/engine';
import type { EventData, NewEvent } from '@continuo/protocol';
import type { Change, Entry } from '../log/append.ts';
import type { RunState } from './fold.ts';
import { messageRow, type StepContext } from './step.ts';

/** Resolves to a failure that ends the run, or to null: the log says how the message ended. */
export async function callModel(context: StepContext, run: RunState): Promise<EventData['error'] | null> {
  const { pen, queued, hold, interrupted, options } = context;
  const resolved = options.models.resolve(queued.model);
  if (!resolved.ok) return { code: 'unknown_model', error: resolved.problem };
  const { model } = resolved;
  const role = options.roles.get(queued.role);
  if (!role) return { code: 'unknown_role', error: `there is no role named ${queued.role}` };

  const message = `m${run.messages + 1}`;
  const push = (event: NewEvent) => pen.push(run.id, event);
  let failure: EventData['error'] | null = null;
  const whole: Entry[] = [];
  const changes: Change[] = [];

  const present = (_agent: string, event: EngineEvent): void | Promise<void> => {
    switch (event.type) {
      case 'message_start':
        return push({ type: 'message_start', data: { message, model: model.id } });
      case 'text_delta':
        push({ type: 'token', data: { text: event.text, message } });
        return pen.room() ?? undefined;
      case 'reasoning_delta':
        push({ type: 'reasoning', data: { text: event.text, message } });
        return pen.room() ?? undefined;
      case 'stream_error':
        failure = { code: event.code, error: event.message };
        return;
      case 'assistant_message': {
        const { text, parts, ended, reason, metadata } = event;
        const data: EventData['message_end'] = {
          message,
          text,
          parts,
          ended,
          ...(reason && { reason }),
          ...(metadata && { metadata }),
          ...(failure && { error: failure }),
        };
        if (text !== '') changes.push(messageRow(0, queued, data));
        whole.push({ runId: run.id, event: { type: 'message_end', data } });
        return;
      }
      case 'turn_response': {
        const data = {
          message,
          model: model.id,
          usage: event.usage,
          cost: event.cost,
          duration_ms: event.durationMs,
        };
        whole.push({ runId: run.id, event: { type: 'usage', data } });
        return;
      }
      default:
    }
  };

  const engine = new AgentEngine({
    driver: () =>
      model.stream({
        messageId: message,
        system: role.preamble,
        history: context.history.map(({ entry }) => entry),
        tools: options.tools.schemas,
        signal: interrupted,
      }),
    presenters: [present],
  });
  await engine.receive(hold.threadId, {
    id: queued.message.id,
    role: 'user',
    content: queued.message.content,
  });

  hold.lost.throwIfAborted();
  // In a hurry, the message is left unfinished: whoever comes next supersedes it.
  if (hold.hurry.aborted && !context.canceled.aborted) return null;
  const saysSomething = whole.some(({ event }) => event.type === 'message_end');
  if (saysSomething) await pen.append(whole, changes);
  return saysSomething ? null : failure;
}
