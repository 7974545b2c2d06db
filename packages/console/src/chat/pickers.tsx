// The choices for a message: mode, role, model, and busy policy.

import { useQuery } from '@tanstack/react-query';
import { Bot, Check, Cpu, ListEnd, Workflow } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { client } from '../data/client.ts';
import { useRoles } from '../data/queries.ts';
import { MODES, type Mode } from './mode.ts';
import { MenuPortal } from '../ui/menu-portal.tsx';

export type Policy = 'enqueue' | 'steer' | 'interrupt' | 'rollback' | 'reject';

interface Choice {
  readonly value: string;
  readonly name: string;
  readonly about?: string | undefined;
}

const POLICIES: readonly (Choice & { readonly value: Policy })[] = [
  { value: 'enqueue', name: 'Queue', about: 'The message waits for its turn.' },
  { value: 'steer', name: 'Steer', about: 'The open run reads the message at its next step.' },
  { value: 'interrupt', name: 'Interrupt', about: 'Stops the open run; this message is next.' },
  {
    value: 'rollback',
    name: 'Roll back',
    about: 'Stops the open run and removes it from the model’s history.',
  },
  { value: 'reject', name: 'Reject if busy', about: 'The message is refused while a run is open.' },
];

export function PolicyPicker({
  value,
  choose,
}: {
  readonly value: Policy;
  readonly choose: (policy: Policy) => void;
}) {
  return (
    <Picker
      label="If busy"
      icon={<ListEnd className="size-4" aria-hidden="true" />}
      value={value}
      choices={POLICIES}
      choose={(chosen) => choose(chosen as Policy)}
    />
  );
}

interface ModePickerProps {
  /** Empty: the default of the role. */
  readonly value: Mode | '';
  readonly choose: (mode: Mode) => void;
  readonly role: string;
}

export function ModePicker({ value, choose, role }: ModePickerProps) {
  const { data: teams = [] } = useQuery({
    queryKey: ['teams'],
    queryFn: async ({ signal }) => (await client.teams.list({ signal })).items,
    enabled: role !== '',
  });
  const usual = teams.some(({ lead }) => lead === role) ? 'plan_then_execute' : 'chat_mode';
  return (
    <Picker
      label="Mode"
      icon={<Workflow className="size-4" aria-hidden="true" />}
      value={value || usual}
      choices={MODES}
      choose={(chosen) => choose(chosen as Mode)}
    />
  );
}

interface PickerOf {
  /** Empty: the default of the chat, the role or the server. */
  readonly value: string;
  readonly choose: (value: string) => void;
  /** The value that applies if nothing is chosen. */
  readonly fallback: string | null;
}

export function RolePicker({ value, choose, fallback }: PickerOf) {
  const { data: roles = [] } = useRoles();
  const choices = roles.map(({ name, description }) => ({
    value: name,
    name,
    about: description ?? undefined,
  }));
  return (
    <Picker
      label="Role"
      icon={<Bot className="size-4" aria-hidden="true" />}
      value={value || (fallback ?? 'assistant')}
      choices={choices}
      choose={choose}
    />
  );
}

export function useModels() {
  return useQuery({ queryKey: ['models'], queryFn: ({ signal }) => client.models({ signal }) });
}

export function ModelPicker({ value, choose, fallback }: PickerOf) {
  const { data } = useModels();
  const [naming, setNaming] = useState(false);
  const usual = fallback ?? data?.default ?? '';
  const ids = [...new Set([usual, value, ...(data?.models ?? [])])].filter(
    (id) => id !== '' && id !== 'offline/script',
  );
  if (naming)
    return (
      <NameModel
        done={(id) => {
          setNaming(false);
          if (id !== null) choose(id);
        }}
      />
    );
  return (
    <Picker
      label="Model"
      icon={<Cpu className="size-4" aria-hidden="true" />}
      value={value || usual}
      choices={ids.map((id) => ({ value: id, name: id, about: ABOUT[id] }))}
      choose={choose}
      other={{ words: 'Another model…', choose: () => setNaming(true) }}
    />
  );
}

/** A field for any model of a provider. The server validates the name when the message is sent. */
function NameModel({ done }: { readonly done: (id: string | null) => void }) {
  return (
    <input
      aria-label="Model, as provider/model or name"
      placeholder="provider/model or name"
      // The menu that had the focus has just closed.
      autoFocus
      spellCheck={false}
      autoCapitalize="off"
      className="h-8 w-52 rounded-lg border border-strong/60 bg-page px-2 font-mono text-xs"
      onBlur={(event) => done(event.target.value.trim() || null)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        if (event.key === 'Escape') event.currentTarget.value = '';
        event.currentTarget.blur();
      }}
    />
  );
}

/** Makes a menu that has to scroll end with a whole row. */
function fitRows(menu: HTMLElement | null): void {
  // The menu has its height once it is placed.
  if (menu) requestAnimationFrame(() => requestAnimationFrame(() => fit(menu)));
}

function fit(menu: HTMLElement): void {
  if (menu.scrollHeight <= menu.clientHeight) return;
  const top = menu.getBoundingClientRect().top;
  const ends = [...menu.querySelectorAll('[role^=menuitem]')].map(
    (row) => row.getBoundingClientRect().bottom - top,
  );
  const last = ends.filter((end) => end <= menu.clientHeight).at(-1);
  if (last !== undefined) menu.style.maxHeight = `${Math.ceil(last) + 1}px`;
}

const ABOUT: Record<string, string> = {
  'offline/demo': 'No language model: follows fixed rules, at a human pace.',
  'offline/instant': 'Like offline/demo, without delays.',
};

function Picker({
  label,
  icon,
  value,
  choices,
  choose,
  other,
}: {
  readonly label: string;
  readonly icon: ReactNode;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly choose: (value: string) => void;
  /** An extra item, for a value that is not listed. */
  readonly other?: { readonly words: string; readonly choose: () => void };
}) {
  const shown = choices.find((choice) => choice.value === value)?.name ?? value;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={`${label}: ${shown}`}
        title={label}
        className="inline-flex h-8 max-w-48 items-center gap-1.5 rounded-lg px-2 text-xs text-soft hover:bg-hover hover:text-ink data-[state=open]:bg-hover"
      >
        {icon}
        <span className="truncate max-sm:max-w-28">{shown}</span>
      </DropdownMenu.Trigger>
      <MenuPortal>
        <DropdownMenu.Content
          align="start"
          side="top"
          sideOffset={6}
          collisionPadding={12}
          ref={fitRows}
          className="z-50 max-h-[min(36rem,var(--radix-dropdown-menu-content-available-height))] w-72 overflow-y-auto rounded-xl border bg-raised p-1 shadow-lg"
        >
          <DropdownMenu.Label className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-soft">
            {label}
          </DropdownMenu.Label>
          <DropdownMenu.RadioGroup value={value} onValueChange={choose}>
            {choices.map((choice) => (
              <DropdownMenu.RadioItem
                key={choice.value}
                value={choice.value}
                className="relative rounded-lg py-1.5 pr-8 pl-2.5 text-sm outline-none data-highlighted:bg-hover"
              >
                <span className="block truncate">{choice.name}</span>
                {choice.about && <span className="block text-xs text-soft">{choice.about}</span>}
                <DropdownMenu.ItemIndicator className="absolute top-2 right-2.5">
                  <Check className="size-4 text-accent" aria-hidden="true" />
                </DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          {other && (
            <DropdownMenu.Item
              onSelect={other.choose}
              className="mt-1 rounded-lg border-t px-2.5 py-1.5 text-sm text-soft outline-none data-highlighted:bg-hover"
            >
              {other.words}
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </MenuPortal>
    </DropdownMenu.Root>
  );
}
