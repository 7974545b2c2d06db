// What a chat's agent works with: the mode of the last message, what is in focus, the agent state, and the rolling summary.

import type { ChatView, EventData } from '@continuo/protocol';
import { Visible } from '../ui/visible.tsx';
import { AgentStateView } from './agent-state.tsx';
import { Focus } from './focus.tsx';
import { useChatContext } from './queries.ts';
import { Section } from './section.tsx';
import { Summaries } from './summaries.tsx';

export function MemoryPanel({ chat, view }: { readonly chat: string; readonly view: ChatView }) {
  const { data } = useChatContext(chat, view.usageSeq);
  const mode = view.turns.findLast((turn) => turn.mode && turn.forgotten === null)?.mode;
  return (
    <div className="divide-y text-sm">
      <Section title="Mode">
        <ModeView mode={mode} isInProject={data !== undefined && data.focus.project !== null} />
      </Section>
      {data && <Focus chat={chat} focus={data.focus} />}
      <AgentStateView chat={chat} seq={view.memorySeq} />
      <Summaries chat={chat} seq={view.memorySeq} />
    </div>
  );
}

const MODES = {
  clarify: ['Clarify', 'asks, and changes nothing in the project'],
  inform: ['Inform', 'answers, and changes nothing in the project'],
  act: ['Act', 'does what the message asks for'],
} as const;

const BY = {
  rules: 'by the words of the message',
  default: 'because the rules did not decide',
  model: 'by the model',
};

function ModeView({
  mode,
  isInProject,
}: {
  readonly mode: EventData['mode'] | undefined;
  readonly isInProject: boolean;
}) {
  if (!mode)
    return (
      <p className="text-soft">
        {isInProject
          ? 'The next message decides it.'
          : 'A chat without a project has no mode: it may always act.'}
      </p>
    );
  const [name, about] = MODES[mode.mode];
  return (
    <>
      <p>
        <span className="font-medium">{name}:</span> the model {about}.
      </p>
      <p className="mt-0.5 text-xs text-soft wrap-anywhere">
        Decided {BY[mode.by]}: <Visible text={mode.why} />
      </p>
    </>
  );
}
