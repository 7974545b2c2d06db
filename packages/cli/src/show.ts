// A run's events as they are read in a terminal: text as it comes, a line for each call and what came of it.

import type { RunEvent } from '@continuo/client';
import { bold, cyan, dim, green, red, safe, short, yellow } from './output.ts';

export type Shown = Pick<RunEvent, 'type' | 'data'>;

export interface Printer {
  show(event: Shown): void;
  /** Ends the line that is being written, if one is. */
  line(text?: string): void;
}

export function createPrinter({
  write,
  people = false,
}: {
  readonly write: (text: string) => void;
  /** Whether to show what people said, too. */
  readonly people?: boolean;
}): Printer {
  let open: 'text' | 'reasoning' | null = null;
  let atStart = true;
  const line = (text = '') => {
    if (open !== null && !atStart) write('\n');
    open = null;
    atStart = true;
    if (text !== '') write(`${text}\n`);
  };
  const piece = (kind: 'text' | 'reasoning', text: string) => {
    if (text === '') return;
    if (open !== kind) line();
    open = kind;
    atStart = text.endsWith('\n');
    write(kind === 'reasoning' ? dim(safe(text)) : safe(text));
  };
  return {
    line,
    show: (event) => {
      const { type, data } = event as RunEvent;
      if (type === 'token') piece('text', data.text);
      else if (type === 'reasoning') piece('reasoning', data.text);
      else {
        const said = sentence(event as RunEvent, people);
        if (said !== null || type === 'message_end') line(said ?? '');
      }
    },
  };
}

/** What a line says of an event; null: nothing. */
function sentence(event: RunEvent, people: boolean): string | null {
  const { type, data } = event;
  switch (type) {
    case 'message':
      return people ? `${bold('you')} ${safe(data.content)}` : null;
    case 'state':
      return data.status === 'running' && data.supersedes !== undefined
        ? yellow(`(${safe(brokeOff(data.cause))}; it begins anew, and what it said above does not count)`)
        : null;
    case 'tool_start':
      return `${cyan('→')} ${short(data.title ?? data.tool)} ${dim(short(data.input))}`;
    case 'tool_end':
      return `${data.success ? green('✓') : red('✗')} ${short(data.tool)} ${dim(outcome(data))}`;
    case 'file_updated':
      return dim(`  ${safe(data.path)} ${data.removed ? 'removed' : `is at version ${data.v}`}`);
    case 'approval':
      return `${yellow('?')} ${data.kind === 'call' ? 'May it call' : 'Is it to call again'} ${bold(short(data.tool))} ${dim(short(data.input, 400))}`;
    case 'approval_end':
      return `${yellow('?')} ${short(data.tool)}: ${data.decision}${data.comment ? ` (${short(data.comment)})` : ''}`;
    case 'session':
      return data.to_state === 'paused' || data.from_state === 'paused' ? dim(`(${data.to_state})`) : null;
    case 'context_usage':
      return dim(`(the model's window is full: ${data.turns_left_out} older turns are left out)`);
    case 'rewound':
      return dim('(the chat was taken back to an earlier message)');
    case 'error':
      return red(`error: ${safe(data.error)} (${safe(data.code)})`);
    case 'canceled':
      return yellow(`canceled: ${safe(data.reason)}`);
    default:
      return null;
  }
}

function outcome({ output, outcome: odd, summary }: Extract<RunEvent, { type: 'tool_end' }>['data']): string {
  if (odd !== undefined) return odd === 'unknown' ? 'nobody can say whether it happened' : odd;
  if (summary !== undefined) return short(summary);
  const text = (output as { text?: unknown } | null)?.text;
  return short(typeof text === 'string' ? text : output);
}

/** Why a message is begun again. */
function brokeOff(cause: { readonly error: string } | undefined): string {
  return cause ? cause.error.replace(/\.$/, '') : 'the answer broke off';
}
