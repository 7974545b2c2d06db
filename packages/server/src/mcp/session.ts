// One session with a server. A session that has ended is never reopened. This module is loaded on first use: the SDK is large,
// and most pods start without it.

import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type RequestOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { OutgoingRefused, type Outgoing } from '../outgoing/outgoing.ts';
import { OutcomeUnknown, ToolFailure } from '../tools/tool.ts';
import { createGate } from './gate.ts';
import type { Guard } from './guard.ts';
import { causeOf, createHttp, STREAM_ENDED, type HttpSettings } from './http.ts';
import { MOST_PAGES, MOST_TOOLS, REASON_BYTES, RELIST_MS, START_MS, STOP_MS } from './limits.ts';
import { callResult, toOutput } from './output.ts';
import { createStdio, type Command } from './stdio.ts';
import { createQuestions } from './questions.ts';
import { shortened } from './text.ts';
import type { McpCallContext } from './tools.ts';

export interface World {
  readonly now: () => number;
  /** Calls `work` once after this many milliseconds; the returned function cancels it. */
  readonly timer: (milliseconds: number, work: () => void) => () => void;
  readonly fetch: Outgoing['fetch'];
}

export interface SessionOptions {
  readonly place:
    | ({ readonly transport: 'stdio' } & Command)
    | ({ readonly transport: 'http' } & Pick<HttpSettings, 'url' | 'headers'>);
  readonly world: World;
  readonly guard: Guard;
  readonly timeoutMs: number;
  /** Removes secrets from error messages about the server. The server's own answers are not changed. */
  readonly hide: (text: string) => string;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  /** Called once if the session ends by itself. */
  readonly onLost: (reason: string) => void;
  /** Called with the server's tools, at the start and whenever they change. */
  readonly onTools: (tools: readonly unknown[]) => void;
}

export interface Session {
  call(tool: string, input: Record<string, unknown>, context: McpCallContext): Promise<unknown>;
  close(): Promise<void>;
}

/** Disables the SDK's time-outs: this folder has its own, with a clock that tests can control. */
const NEVER = 2 ** 31 - 1;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export async function openSession(options: SessionOptions): Promise<Session> {
  const { world, onLost, onTools, signal, hide } = options;
  let over: string | null = null;
  const lose = (reason: string): void => {
    if (over !== null) return;
    over = hide(reason);
    void end();
    onLost(over);
  };
  const { transport, kill, ending, leave } = connectTo(options, lose);
  const client = new Client(
    { name: 'continuo', version: '0.1.0' },
    { capabilities: { elicitation: { form: { applyDefaults: true } } } },
  );
  client.onclose = () => lose(ending() ?? 'the connection was closed');
  // Ignores malformed and unexpected messages: they answer no request, and every request has a time-out.
  client.onerror = () => undefined;

  const end = async (): Promise<void> => {
    await client.close();
    // The client closes its transport only if it is connected.
    await transport.close();
  };
  const close = async (): Promise<void> => {
    if (over === null) await leave();
    over ??= 'it was stopped';
    await end();
  };

  const list = async (given: AbortSignal): Promise<void> => {
    const request: RequestOptions = { signal: given, timeout: NEVER };
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES && tools.length <= MOST_TOOLS; pages += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const { tools: more, nextCursor } = await client.request(
        { method: 'tools/list', params },
        page,
        request,
      );
      for (const tool of more) tools.push(tool);
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    onTools(tools);
  };

  const questions = createQuestions();
  let listing = false;
  let again = false;
  const relist = (): void => {
    again = true;
    if (listing || over !== null) return;
    listing = true;
    again = false;
    const late = new AbortController();
    const callOff = world.timer(START_MS, () => late.abort('the list took too long'));
    void list(late.signal)
      // Keeps the tools of the last successful listing.
      .catch(() => undefined)
      .finally(() => {
        callOff();
        world.timer(RELIST_MS, () => {
          listing = false;
          if (again) relist();
        });
      });
  };

  try {
    client.setRequestHandler('elicitation/create', ({ params }) => questions.ask(params));
    client.setNotificationHandler('notifications/tools/list_changed', relist);
    await client.connect(transport, { signal, timeout: NEVER });
    if (client.getServerCapabilities()?.tools) await list(signal);
    else onTools([]);
  } catch (error) {
    // Report how the process ended, which says more than that the connection closed.
    over ??= 'the start failed';
    if (signal.aborted) kill('it did not start in time');
    await end();
    const reason = signal.aborted ? String(signal.reason) : (ending() ?? describe(error));
    throw new Error(hide(reason), { cause: error });
  }

  return {
    close,
    call: async (tool, input, { signal: given, ask }) => {
      if (over !== null) throw new ToolFailure(`the call was not made: ${over}`);
      const stop = new AbortController();
      let late = false;
      let callOff = () => {};
      const startClock = () => {
        callOff = world.timer(options.timeoutMs, () => {
          late = true;
          stop.abort('the client stopped waiting');
        });
      };
      startClock();
      // The time-out does not run while a person is answering.
      const pauseClock = () => {
        callOff();
        return startClock;
      };
      const onAbort = () => stop.abort('the call was canceled');
      given.addEventListener('abort', onAbort);
      if (given.aborted) onAbort();
      try {
        const params = { name: tool, arguments: input };
        const request = { signal: stop.signal, timeout: NEVER };
        const make = () => client.request({ method: 'tools/call', params }, callResult, request);
        return toOutput(
          await questions.during({ ask, pauseClock, fail: (error) => stop.abort(error) }, make),
        );
      } catch (error) {
        if (error instanceof ToolFailure) throw error;
        if (stop.signal.reason instanceof Error) throw stop.signal.reason;
        if (late) throw unknown(`the server did not answer within ${options.timeoutMs / 1000} s`);
        if (given.aborted) throw unknown('the call was canceled');
        throw failureOf(error, () => over, lose);
      } finally {
        callOff();
        given.removeEventListener('abort', onAbort);
      }
    },
  };
}

function unknown(reason: string): OutcomeUnknown {
  return new OutcomeUnknown(`outcome unknown: ${reason}; the call was not repeated`);
}

/** Maps a failed request to the call's error, and ends the session if it is lost. */
function failureOf(error: unknown, over: () => string | null, lose: (reason: string) => void): Error {
  if (error instanceof ProtocolError) {
    return error.code === STREAM_ENDED ? unknown(error.message) : new ToolFailure(describe(error));
  }
  if (error instanceof SdkHttpError) {
    const { status } = error;
    const refused = status !== undefined && status >= 400 && status < 500;
    lose(`it answered ${status}`);
    return refused
      ? new ToolFailure(`the call was not made: the server refused it with ${status}: ${describe(error)}`)
      : unknown(`the server answered ${status}`);
  }
  if (error instanceof SdkError) {
    const closed = error.code === SdkErrorCode.ConnectionClosed;
    return unknown(closed ? `the connection ended: ${over() ?? 'it was closed'}` : describe(error));
  }
  lose(causeOf(error));
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return error instanceof OutgoingRefused || code === 'ECONNREFUSED' || code === 'ENOTFOUND'
    ? new ToolFailure(`the call was not made: ${causeOf(error)}`)
    : unknown(causeOf(error));
}

function describe(error: unknown): string {
  return shortened(causeOf(error), REASON_BYTES);
}

interface Line {
  readonly transport: Transport;
  /** Ends the connection at once. */
  readonly kill: (reason: string) => void;
  /** How the process ended, if that is known. */
  readonly ending: () => string | null;
  /** Ends the session politely, if the transport can. */
  readonly leave: () => Promise<void>;
}

function connectTo({ place, world, guard }: SessionOptions, lose: (reason: string) => void): Line {
  const gate = createGate(world.now, (reason) => line.kill(reason));
  const line = place.transport === 'stdio' ? overStdio(place) : overHttp(place);
  // Runs before the client's own handler.
  line.transport.onmessage = () => gate.message();
  return line;

  function overStdio(command: Command): Line {
    const transport = createStdio(command, gate, guard);
    return { transport, kill: transport.kill, ending: transport.ending, leave: () => Promise.resolve() };
  }

  function overHttp({ url, headers }: Pick<HttpSettings, 'url' | 'headers'>): Line {
    const transport = createHttp({ url, headers, gate, fetch: world.fetch, onLost: lose });
    const leave = async () => {
      if (transport.sessionId === undefined) return;
      // Limits the wait; a server that does not answer will expire the session by itself.
      const waited = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
      await Promise.race([transport.terminateSession().catch(() => undefined), waited]);
    };
    return { transport, kill: lose, ending: () => null, leave };
  }
}
