// Conversation modes: does the person think aloud (clarify), want to know something (inform), or want something done (act)? Rules decide by
// the words of a message, without a model, so that nothing delays the first token. Where they do not decide, the mode is clarify, and
// the model may find that the message asks for a change (`start_acting`). Modes apply in projects only. Pure.
//
// 1. In clarify and inform, no tool that changes the project is offered, and files below /projects are not written.
// 2. The mode is in the log before the model is asked.

import { z } from 'zod';
import type { EventData, Mode, PolicyRule } from '@continuo/protocol';
import { narrowed, withTools, type ToolRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';

export type ModeDecision = EventData['mode'];

/** How many characters of a message the rules read. */
const CHARACTERS = 2000;

const ACTIONS =
  'add|append|apply|archive|arrange|assign|attach|break|build|cancel|change|clean|clear|close|complete|convert|copy|correct|create|delete|draft|' +
  'drop|duplicate|edit|expand|extend|fill|finish|fix|generate|implement|import|insert|link|log|make|mark|merge|move|note|organi[sz]e|plan|prepare|' +
  'produce|put|record|remove|rename|reorder|reorgani[sz]e|replace|reschedule|resolve|restore|restructure|revise|rewrite|save|schedule|set|split|' +
  'start|store|tag|turn|unlink|update|write';
/** What may stand before the verb of a request. */
const POLITE = String.raw`(?:(?:hi|hello|hey|ok(?:ay)?|yes|so|now|then|and|also|first|next|great|thanks|thank you|please|kindly|just)[\s,:!-]+)*`;
const ASKS = String.raw`(?:(?:can|could|would|will) you (?:please )?|i (?:want|need|would like|'d like) you to |i'd like you to |let(?:'s| us) |go ahead and |you (?:can|should|may) )?`;
const REQUEST = new RegExp(String.raw`^${POLITE}${ASKS}${POLITE}(?:${ACTIONS})\b(?!\s*\?)`);
const CONSENT =
  /^(?:yes|yeah|yep|ok(?:ay)?|sure|fine|agreed|exactly|correct|go ahead|go for it|do (?:it|so|that|this|both|all)|please do|proceed|sounds good|make it so|approved)\b/;
const CONSENT_WORDS = 12;
const NOTHING_CHANGED =
  /\b(?:(?:do not|don't|dont|never|without) (?:creat|chang|add|writ|touch|sav|edit|delet|updat|mak)\w*|(?:just|only) (?:thinking|curious|asking|wondering|brainstorming)|thinking (?:out )?(?:loud|aloud))\b/;
const DOUBT =
  /\b(?:maybe|perhaps|not sure|unsure|i wonder|wondering|i(?:'m| am) thinking|thinking about|what if|should (?:we|i)|could we|do we (?:want|need)|i guess|some ideas?|considering|brainstorm\w*|hmm+|might)\b/;
/** Questions that may be requests, and questions in other languages: the model may find that they ask for a change. */
const ASKED_OF_YOU = /^(?:(?:can|could|will|would|do|does) you\b|any chance\b)/;
const QUESTION =
  /^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|can|could|will|would|explain|describe|tell me|show|list|summari[sz]e|compare|find|search|look up|read|give me|remind me)\b/;

/** `answered`: the model has said something in this thread already. */
export function decideMode(message: string, answered: boolean): ModeDecision {
  const text = message.slice(0, CHARACTERS).toLowerCase().replaceAll('’', "'").trim();
  const sentences = text
    .split(/[.!;。！\n]+|(?<=[?？])|,\s+(?:and|then|but)\s+/)
    .map((sentence) => sentence.replace(/^\s*(?:[-*•]\s+|@[\w-]+[\s,:]+)*/, '').trim())
    .filter((sentence) => sentence !== '');
  const rules = (mode: Mode, why: string): ModeDecision => ({ mode, by: 'rules', why });
  if (text.startsWith('{')) return rules('act', 'the message comes from a program');
  const questions = sentences.filter((each) => /[?？]$/.test(each) || QUESTION.test(each));
  const asksSomething = questions.length > 0;
  if (NOTHING_CHANGED.test(text))
    return rules(asksSomething ? 'inform' : 'clarify', 'the message says that nothing is to be changed');
  if (answered && CONSENT.test(text) && text.split(/\s+/).length <= CONSENT_WORDS)
    return rules('act', 'the message agrees to what was proposed');
  if (sentences.some((each) => REQUEST.test(each))) return rules('act', 'the message asks for a change');
  if (DOUBT.test(text)) return rules('clarify', 'the message thinks about what to do');
  if (questions.some((each) => QUESTION.test(each) && !ASKED_OF_YOU.test(each)))
    return rules('inform', 'the message asks a question');
  if (asksSomething) return { mode: 'inform', by: 'default', why: 'the message asks something' };
  return { mode: 'clarify', by: 'default', why: 'it is not clear whether the message asks for a change' };
}

/** Rules in addition to the policy and the role's permissions. */
const NO_WRITES: readonly PolicyRule[] = [
  { tool: '*', effect: 'transactional', path: '/projects/**', action: 'deny' },
  { tool: '*', effect: 'idempotent', path: '/projects/**', action: 'deny' },
];

export function rulesOfMode(decision: Pick<ModeDecision, 'mode'> | undefined): readonly PolicyRule[] {
  return decision === undefined || decision.mode === 'act' ? [] : NO_WRITES;
}

/** The tools that are offered in a mode; all of them without one. */
export function toolsOfMode(tools: ToolRegistry, decision: ModeDecision | undefined): ToolRegistry {
  if (decision === undefined || decision.mode === 'act') return tools;
  const isOffered = (name: string) =>
    !changesProjects(tools, name) && isOfferedIn(tools.get(name)?.offeredFrom, decision.mode);
  const offered = narrowed(tools, isOffered);
  const isUndecided = decision.by === 'default' && offered.names.length < tools.names.length;
  return isUndecided ? withTools(offered, [startActing]) : offered;
}

function isOfferedIn(first: Tool['offeredFrom'], mode: Mode): boolean {
  return first === undefined || (first === 'inform' && mode !== 'clarify');
}

function changesProjects(tools: ToolRegistry, name: string): boolean {
  const tool = tools.get(name);
  return tool?.inProjects === true && tool.effect !== 'pure';
}

const input = z.object({
  asks: z.string().trim().min(1).max(500).describe('The words of the person that ask for a change.'),
});

/** The model decides where the rules do not. */
const startActing: Tool<z.infer<typeof input>> = {
  name: 'start_acting',
  description:
    'Call this only if the person clearly asks for a change of the project. From then on, the tools that change it are available.',
  effect: 'transactional',
  input,
  words: ({ asks }) => `Starts to act, because of: ${asks}`,
  async run({ asks }, context) {
    context.emit({ type: 'mode', data: { mode: 'act', by: 'model', why: asks } });
    return { text: 'The tools that change the project are available now.' };
  },
};
