// A thread's log as readable text: messages, calls and their results, changed files, and how each run ended. Pure: the same
// events give the same text.

import { supersededBy, type LogEvent } from '@continuo/protocol';

/** Maximum lines and characters of a tool's input or result. */
const SUMMARY_LINES = 5;
const SUMMARY_CHARACTERS = 500;

export function transcript(events: Iterable<LogEvent>): string {
  return joinParagraphs(Array.from(events, paragraph));
}

export function joinParagraphs(paragraphs: readonly (string | null)[]): string {
  const parts = paragraphs.filter((text) => text !== null);
  return parts.length === 0 ? 'Nothing has been said yet.\n' : `${parts.join('\n\n')}\n`;
}

/** The text of an event; null if it adds none. */
export function paragraph(event: LogEvent): string | null {
  switch (event.type) {
    case 'message':
      return [
        `## Person · ${time(event.at)}\n\n${event.data.content}`,
        ...(event.data.files ?? []).map(({ path, v }) => `- attached **${path}**, version ${v}`),
      ].join('\n\n');
    case 'rewound':
      return `*The chat was rewound to event ${event.data.to_seq}: models no longer see what came after it*`;
    case 'message_end': {
      const { text, ended, model } = event.data;
      const end = ended === 'complete' ? '' : `\n\n*(${ended === 'error' ? 'failed' : 'interrupted'} here)*`;
      if (text === '' && end === '') return null;
      return `## Agent${model ? ` (${model})` : ''} · ${time(event.at)}\n\n${text}${end}`;
    }
    case 'tool_start':
      return `- called **${event.data.tool}** · ${time(event.at)}\n${quoted(event.data.input)}`;
    case 'tool_end': {
      const { tool, output, success, outcome } = event.data;
      const came = outcome ?? (success ? 'ok' : 'failed');
      return `- **${tool}** ended: ${came} · ${time(event.at)}\n${quoted(output)}`;
    }
    case 'approval':
      return `- **${event.data.tool}** waits for a person: ${event.data.reason} · ${time(event.at)}`;
    case 'approval_end': {
      const { tool, decision, comment } = event.data;
      return `- **${tool}**: ${DECIDED[decision]}${comment === undefined ? '' : `: ${comment}`} · ${time(event.at)}`;
    }
    case 'file_updated':
      return `- file **${event.data.path}** is now version ${event.data.v}`;
    case 'error':
      return `*The run failed: ${event.data.error} (${event.data.code})*`;
    case 'canceled':
      return `*The run was canceled: ${event.data.reason}*`;
    case 'state': {
      const { data } = event;
      if (data.status !== 'running')
        return `*Run ${event.runId} · ${data.status} · ${time(event.at)}*\n\n---`;
      const superseded = supersededBy(data);
      return superseded && `*Message ${superseded.message} was cut off, and starts again*`;
    }
    default:
      return null;
  }
}

const DECIDED = {
  approve: 'a person approved it',
  deny: 'a person denied it',
  edit: 'a person changed its input and approved it',
  retry: 'a person had it repeated',
  skip: 'a person skipped it',
  answer: 'a person answered its question',
  expired: 'nobody answered in time',
} as const;

function time(at: Date): string {
  return at
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const lines = text.slice(0, SUMMARY_CHARACTERS).trimEnd().split('\n');
  const shown = lines.slice(0, SUMMARY_LINES).map((line) => `  > ${line}`);
  const more = text.length > SUMMARY_CHARACTERS || lines.length > SUMMARY_LINES;
  return [...shown, ...(more ? [`  > … (${text.length} characters)`] : [])].join('\n');
}
