// The start page: a new chat, typed or from an example.

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { FilePenLine, ScrollText, ShieldQuestion, type LucideIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { newKey } from '@continuo/client';
import { useTitle } from '../app/title.ts';
import { Composer } from '../chat/composer.tsx';
import { useDraft, type Sending } from '../chat/message-draft.ts';
import { DEFAULT_MODE, modeFields } from '../chat/mode.ts';
import { ModeOptions } from '../chat/mode-options.tsx';
import { ModelPicker, ModePicker, RolePicker, useModels } from '../chat/pickers.tsx';
import { ChatProject } from '../chat/project.tsx';
import { client, workspace } from '../data/client.ts';
import { putChat } from '../data/queries.ts';

interface Example {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly about: string;
  readonly goal: string;
}

/** Each also works with the offline model. */
const EXAMPLES: readonly Example[] = [
  {
    icon: FilePenLine,
    title: 'Write, edit, compare',
    about: 'A file, a change to it, and the difference.',
    goal: 'Write a haiku to /notes/rain.md, then replace its second line, then show the diff of it',
  },
  {
    icon: ShieldQuestion,
    title: 'Ask me first',
    about: 'Removing a file needs your approval.',
    goal: 'Write a list to /notes/old.md, then remove /notes/old.md',
  },
  {
    icon: ScrollText,
    title: 'A long answer',
    about: 'Stop it, then say “go on”.',
    goal: 'Tell me a long story about a lighthouse',
  },
];

/** Idempotency keys of examples whose response was lost: a second click opens no second chat. */
const tried = new Map<string, string>();

export function Page() {
  useTitle('New chat');
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { project } = useSearch({ strict: false }) as { readonly project?: string };
  const draftHandle = useDraft(project === undefined ? `new:${workspace}` : `new:${workspace}:${project}`);
  const { draft, change } = draftHandle;
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  const [problem, setProblem] = useState<string | null>(null);
  const [opening, setOpening] = useState(false);
  const open = async ({ content, files, role, model, mode, key }: Sending) => {
    const goal = {
      goal: content,
      ...(files.length > 0 && { files: [...files] }),
      ...(role && { role }),
      ...(model && { model }),
      ...(project !== undefined && { project_id: project }),
      ...modeFields(mode),
    };
    const { chat } = await client.chats.open(goal, { idempotencyKey: key });
    putChat(cache, chat);
    if (isHere.current) void navigate({ to: '/chats/$chat', params: { chat: chat.id } });
  };
  const openExample = async ({ goal }: Example) => {
    if (opening) return;
    setOpening(true);
    setProblem(null);
    const example = { ...draft, content: goal, files: [], mode: DEFAULT_MODE };
    const same = JSON.stringify(example);
    const key = tried.get(same) ?? newKey();
    tried.set(same, key);
    try {
      await open({ ...example, key });
      tried.delete(same);
    } catch (error) {
      setProblem((error as Error).message);
      setOpening(false);
    }
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="m-auto w-full max-w-2xl px-4 py-10 sm:px-6">
        <h1 className="text-center text-2xl font-semibold tracking-tight">What would you like to do?</h1>
        {project !== undefined && (
          <p className="mt-2 flex flex-wrap items-center justify-center gap-x-2 text-sm text-soft">
            In the project <ChatProject id={project} />
            <Link to="/" className="rounded underline underline-offset-2 hover:text-ink">
              Leave it
            </Link>
          </p>
        )}
        <div className="mt-6">
          <Composer
            draft={draftHandle}
            placeholder="Describe a goal, or ask something…"
            send={open}
            options={
              <ModeOptions
                choice={draft.mode}
                change={(part) => change(({ mode }) => ({ mode: { ...mode, ...part } }))}
              />
            }
          >
            <ModePicker
              value={draft.mode.mode}
              choose={(mode) => change((now) => ({ mode: { ...now.mode, mode } }))}
              role={draft.role}
            />
            <RolePicker value={draft.role} choose={(role) => change({ role })} fallback={null} />
            <ModelPicker value={draft.model} choose={(model) => change({ model })} fallback={null} />
          </Composer>
        </div>
        <ul className="mt-5 grid gap-3 sm:grid-cols-3">
          {EXAMPLES.map((example) => (
            <li key={example.title}>
              <button
                type="button"
                aria-disabled={opening}
                onClick={() => void openExample(example)}
                className="flex h-full w-full flex-col items-start justify-start rounded-xl border bg-raised p-3.5 text-left transition-colors hover:bg-hover"
              >
                <example.icon className="size-4.5 text-accent" aria-hidden="true" />
                <span className="mt-2 block text-sm font-medium">{example.title}</span>
                <span className="mt-0.5 block text-xs text-soft">{example.about}</span>
              </button>
            </li>
          ))}
        </ul>
        {problem && (
          <p role="alert" className="mt-3 text-center text-sm text-bad">
            {problem}
          </p>
        )}
        <Offline />
      </div>
    </div>
  );
}

function Offline() {
  const { data } = useModels();
  if (!data?.default.startsWith('offline/')) return null;
  const names = data.providers.flatMap(({ set }) => set).slice(0, 2);
  return (
    <p className="mt-6 text-center text-xs text-soft">
      No language model is connected: the offline stand-in answers, and runs the examples for real. For a
      model, set{' '}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ' or '}
          <code className="font-mono">{name}</code>
        </span>
      ))}{' '}
      and restart the server.
    </p>
  );
}
