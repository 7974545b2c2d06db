// Prints a run's events at a terminal: text as it streams, and a line for each call and its result.

import type { RunEvent } from '@continuo/client';
import { bold, cyan, dim, green, red, safe, short, yellow } from './output.ts';

type ApprovalKind = Extract<RunEvent, { type: 'approval' }>['data']['kind'];
export type ShownEvent = Pick<RunEvent, 'type' | 'data'>;

export interface Printer {
  show(event: ShownEvent): void;
  /** Ends the current line, if there is one. */
  line(text?: string): void;
}

export function createPrinter({
  write,
  people = false,
}: {
  readonly write: (text: string) => void;
  /** Whether to show people's messages, too. */
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

const ASKS: Readonly<Record<ApprovalKind, string>> = {
  call: 'Waiting for approval:',
  unknown_outcome: 'Outcome unknown, retry?',
  question: 'Question from',
};

/** The line for an event; null: none. */
function sentence(event: RunEvent, people: boolean): string | null {
  const { type, data } = event;
  switch (type) {
    case 'message':
      return people ? `${bold('you')} ${safe(data.content)}` : null;
    case 'state':
      return data.status === 'running' && data.supersedes !== undefined
        ? yellow(
            `(${safe(supersedeReason(data.cause))}; the model is asked again, and the text above is superseded)`,
          )
        : null;
    case 'tool_start':
      return `${cyan('→')} ${short(data.title ?? data.tool)} ${dim(short(data.input))}`;
    case 'tool_end':
      return `${data.success ? green('✓') : red('✗')} ${short(data.tool)} ${dim(outcome(data))}`;
    case 'file_updated':
      return dim(`  ${safe(data.path)} ${data.removed ? 'removed' : `is at version ${data.v}`}`);
    case 'approval':
      return `${yellow('?')} ${ASKS[data.kind]} ${bold(short(data.tool))} ${dim(short(data.input, 400))}`;
    case 'approval_end':
      return `${yellow('?')} ${short(data.tool)}: ${data.decision}${data.comment ? ` (${short(data.comment)})` : ''}`;
    case 'session':
      return data.to_state === 'paused' || data.from_state === 'paused' ? dim(`(${data.to_state})`) : null;
    case 'mode':
      return data.mode === 'act' && data.by === 'rules'
        ? null
        : dim(`(mode ${data.mode}: ${safe(data.why)})`);
    case 'context_usage':
      return dim(`(the model's window is full: ${data.turns_left_out} older turns are left out)`);
    case 'rewound':
      return dim('(the chat was rewound to an earlier message)');
    case 'error':
      return red(`error: ${safe(data.error)} (${safe(data.code)})`);
    case 'canceled':
      return yellow(`canceled: ${safe(data.reason)}`);
    default:
      return null;
  }
}

function outcome({
  output,
  outcome: abnormal,
  summary,
}: Extract<RunEvent, { type: 'tool_end' }>['data']): string {
  if (abnormal !== undefined) return abnormal === 'unknown' ? 'outcome unknown' : abnormal;
  if (summary !== undefined) return short(summary);
  const text = (output as { text?: unknown } | null)?.text;
  return short(typeof text === 'string' ? text : output);
}

/** Why a message was superseded. */
function supersedeReason(cause: { readonly error: string } | undefined): string {
  return cause ? cause.error.replace(/\.$/, '') : 'the answer was interrupted';
}
