// The offline model's sentences. They are short and true, and say that the offline model wrote them.

import type { ToolSchema } from './request.ts';
import type { Intent } from './plan.ts';

export interface CallOutcome {
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly failed: boolean;
  /** Whether the history contains a result at all. */
  readonly answered: boolean;
}

/** Part of every question for missing input. The model recognises by it that the next message is an answer. */
export const NEED = 'I still need';

export function introduceModel({
  modelId,
  text,
  tools,
  tooLong,
}: {
  modelId: string;
  text: string;
  tools: readonly ToolSchema[];
  tooLong: boolean;
}): string {
  const heard = text.trim() === '' ? 'Your message was empty. ' : `You wrote: “${excerpt(text, 80)}”. `;
  const what = `I cannot really answer that: no language model is connected. I am the offline stand-in (${modelId}), a program that follows fixed rules.`;
  const long = tooLong
    ? ' I do not look for tool calls in a message this long, unless its long texts are in quotes or code blocks.'
    : '';
  const how =
    'To connect one, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY and start the server again; or set OPENAI_BASE_URL for a server of your own. CONTINUO_MODEL=provider/model chooses the model.';
  return `${heard}${what}${long}\n\n${canDo(tools)}\n\n${how}`;
}

function canDo(tools: readonly ToolSchema[]): string {
  if (tools.length === 0) return 'No tools are given to me in this conversation.';
  const shown = tools
    .slice(0, 6)
    .map(
      (tool) =>
        `- ${tool.name}${tool.description ? `: ${excerpt(tool.description.split(/\.\s|\n/)[0] ?? '', 100)}` : ''}`,
    );
  const more = tools.length > 6 ? [`- and ${tools.length - 6} more`] : [];
  return ['What I can do is call a tool when you ask for it in plain words:', ...shown, ...more].join('\n');
}

export function describePlannedCalls(intents: readonly Intent[]): string {
  return `Calling ${sentenceList(intents.map(({ tool, input }) => shortly(tool.name, input)))}.`;
}

/** Reports the results of the calls: several as a list, followed by the output of the last one. */
export function describeResults(outcomes: readonly CallOutcome[]): string {
  if (outcomes.length < 2) return outcomes.map(tellCall).join('');
  const last = linesIn(outcomes.at(-1)!);
  const list = outcomes.map((outcome, index) => `${index + 1}. ${tellShortly(outcome)}`);
  return [`I made ${outcomes.length} calls:`, '', ...list, ...(last === null ? [] : ['', block(last)])].join(
    '\n',
  );
}

function tellShortly(outcome: CallOutcome): string {
  const { tool, input, output, failed, answered } = outcome;
  const call = shortly(tool, input);
  if (!answered) return `${call}: no result came back`;
  if (failed) return `${call} failed: ${problemIn(output)}`;
  const text = linesIn(outcome);
  if (text !== null && isDiff(text)) return call;
  return `${call}: ${inWords(text?.split('\n')[0] ?? textIn(output) ?? output) || 'it returned nothing'}`;
}

/** Describes a call by its path, if it has one. */
function shortly(tool: string, input: unknown): string {
  const path = typeof input === 'object' && input !== null && 'path' in input ? input.path : null;
  return `${tool}${typeof path === 'string' ? ` ${excerpt(path, 120)}` : inputOf(input)}`;
}

function tellCall(outcome: CallOutcome): string {
  const { tool, input, output, failed, answered } = outcome;
  const call = `${tool}${inputOf(input)}`;
  if (!answered) return `I called ${call}, but no result came back.`;
  if (failed) return `${call} failed: ${stop(problemIn(output))}`;
  const text = linesIn(outcome);
  if (text !== null) return `I called ${call}. It returned:\n\n${block(text)}\n`;
  const result = inWords(textIn(output) ?? output);
  return result === ''
    ? `I called ${call}. It returned nothing.`
    : `I called ${call}. It returned: ${stop(result)}`;
}

const BLOCK_LINES = 30;
const BLOCK_CHARACTERS = 200;

/** Shows a text of several lines as it is, or at least its beginning. */
function block(text: string): string {
  const lines = text.split('\n');
  const shown = lines.slice(0, BLOCK_LINES).map((line) => line.slice(0, BLOCK_CHARACTERS));
  const longest = Math.max(2, ...shown.map((line) => /^ *(`+)/.exec(line)?.[1]!.length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return [
    `${fence}${isDiff(text) ? 'diff' : 'text'}`,
    ...shown,
    ...(lines.length > BLOCK_LINES ? ['…'] : []),
    fence,
  ].join('\n');
}

function isDiff(text: string): boolean {
  return text.startsWith('--- ') && text.includes('\n+++ ');
}

function textIn(output: unknown): string | null {
  const text = typeof output === 'object' && output !== null && 'text' in output ? output.text : null;
  return typeof text === 'string' ? text : null;
}

/** The output of a call, if it is a text of several lines. */
function linesIn({ output, failed }: CallOutcome): string | null {
  const text = textIn(output);
  return !failed && text?.includes('\n') ? text : null;
}

export function askForMissing({ tool, missing }: Intent): string {
  const inputs = missing.map(({ name, about }) => (about ? `${name} (${excerpt(about, 120)})` : name));
  const example = missing[0]?.name === 'its input' ? '{"…": "…"}' : `${missing[0]?.name}: …`;
  return `To call ${tool.name} ${NEED} ${sentenceList(inputs)}. Write, for example: ${example}`;
}

export function describeSkippedCalls(undone: readonly Intent[], failed: boolean): string {
  return `I did not call ${sentenceList([...new Set(undone.map(({ tool }) => tool.name))])}${failed ? ' after that' : ''}.`;
}

function inputOf(input: unknown): string {
  const words = typeof input === 'string' ? `“${excerpt(input, 60)}”` : inWords(input, 60);
  return words === '' ? '' : ` (${words})`;
}

function problemIn(output: unknown): string {
  if (typeof output === 'object' && output !== null) {
    for (const key of ['message', 'error', 'reason', 'detail']) {
      const value = (output as Record<string, unknown>)[key];
      if (typeof value === 'string' && value !== '') return excerpt(value, 200);
      if (typeof value === 'object' && value !== null) return problemIn(value);
    }
  }
  return inWords(output) || 'it gave no reason';
}

/** A value in words, truncated. */
function inWords(value: unknown, length = 200, depth = 0): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return excerpt(value, length);
  if (typeof value !== 'object' || depth > 2) return excerpt(JSON.stringify(value) ?? '', 40);
  const inner = (part: unknown): string => inWords(part, Math.min(length, 60), depth + 1) || 'nothing';
  if (Array.isArray(value)) {
    const shown = value.slice(0, 5).map(inner).join(', ');
    return value.length === 0
      ? 'an empty list'
      : excerpt(value.length > 5 ? `${shown} and ${value.length - 5} more` : shown, length);
  }
  return excerpt(
    Object.entries(value)
      .slice(0, 6)
      .map(([key, part]) => `${key}: ${inner(part)}`)
      .join(', '),
    length + 40,
  );
}

function excerpt(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const points = Array.from(line);
  return points.length <= length
    ? line
    : `${points
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`;
}

const stop = (sentence: string): string => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`);

function sentenceList(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
