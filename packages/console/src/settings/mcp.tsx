// The MCP servers of the workspace: their state and tools; add, edit, restart, remove.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleX, LoaderCircle, Pencil, Plug, Plus, PowerOff, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { keys } from '../data/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Clock } from '../ui/format.tsx';
import { CARD, Code, Section } from './section.tsx';
import { ServerForm } from './server-form.tsx';

type Server = Awaited<ReturnType<typeof client.mcp.list>>['items'][number];

export function McpServers() {
  const cache = useQueryClient();
  const [adding, setAdding] = useState<'no' | 'yes' | 'closed'>('no');
  const query = useQuery({
    queryKey: keys.servers,
    queryFn: async ({ signal }) => (await client.mcp.list({ signal })).items,
    staleTime: 0,
  });
  const changed = () => cache.invalidateQueries({ queryKey: keys.servers });
  return (
    <Section
      title="MCP servers"
      about="Models can call their tools in addition to Continuo’s own. A program that you add runs on the server’s machine."
      query={query}
    >
      {(servers) => (
        <>
          <ul className={CARD} aria-label="MCP servers">
            {servers.map((server) => (
              <Entry key={server.name} server={server} changed={changed} />
            ))}
            {servers.length === 0 && <li className="px-4 py-3 text-soft">No MCP servers yet.</li>}
          </ul>
          {adding === 'yes' ? (
            <ServerForm
              server={null}
              taken={servers.map(({ name }) => name)}
              done={() => {
                setAdding('closed');
                void changed();
              }}
              cancel={() => setAdding('closed')}
            />
          ) : (
            <Button className="mt-3" autoFocus={adding === 'closed'} onClick={() => setAdding('yes')}>
              <Plus className="size-4" aria-hidden="true" /> Add a server
            </Button>
          )}
        </>
      )}
    </Section>
  );
}

function Entry({ server, changed }: { readonly server: Server; readonly changed: () => Promise<void> }) {
  const { name, config, state } = server;
  const [sure, setSure] = useState<'no' | 'yes' | 'kept'>('no');
  const [editing, setEditing] = useState<'no' | 'yes' | 'closed'>('no');
  const { busy, problem, act } = useAction(changed);
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">{name}</h3>
        <State state={state} />
        <span className="ml-auto flex items-center gap-1">
          {sure === 'yes' ? (
            <>
              <Button
                kind="danger"
                disabled={busy}
                autoFocus
                onClick={() => void act(() => client.mcp.remove(name))}
              >
                Remove {name}
              </Button>
              <Button onClick={() => setSure('kept')}>Keep</Button>
            </>
          ) : (
            <>
              <IconButton
                label={`Restart ${name}`}
                disabled={busy || state.status === 'disabled'}
                onClick={() => void act(() => client.mcp.restart(name))}
              >
                <RotateCcw />
              </IconButton>
              <IconButton
                label={`Edit ${name}`}
                aria-expanded={editing === 'yes'}
                autoFocus={editing === 'closed'}
                onClick={() => setEditing(editing === 'yes' ? 'closed' : 'yes')}
              >
                <Pencil />
              </IconButton>
              <IconButton
                label={`Remove ${name}…`}
                autoFocus={sure === 'kept'}
                onClick={() => setSure('yes')}
              >
                <Trash2 />
              </IconButton>
            </>
          )}
        </span>
      </div>
      <p className="text-xs break-all text-soft">
        <Code>
          {config.transport === 'stdio' ? [config.command, ...(config.args ?? [])].join(' ') : config.url}
        </Code>
      </p>
      {state.status === 'failed' && (
        <p className="mt-1 break-words text-bad">
          {state.reason}
          <span className="text-soft">
            {' · '}Next try at <Clock at={state.retry_at} />.
          </span>
        </p>
      )}
      {problem && (
        <p role="alert" className="mt-1 text-bad">
          {problem}
        </p>
      )}
      {editing === 'yes' && (
        <ServerForm
          // What somebody else has saved meanwhile is shown.
          key={server.updated_at}
          server={server}
          taken={[]}
          done={() => {
            setEditing('closed');
            void changed();
          }}
          cancel={() => setEditing('closed')}
        />
      )}
      {state.status === 'ready' && state.tools.length > 0 && (
        <details className="mt-1">
          <summary className="text-xs text-soft hover:text-ink">Tools</summary>
          <ul className="mt-1 space-y-1 border-l-2 pl-3 text-xs">
            {state.tools.map((tool) => (
              <li key={tool.name}>
                <Code>{tool.name}</Code> <span className="text-soft">{tool.description}</span>
              </li>
            ))}
            {state.left_out.map(({ tool, reason }) => (
              <li key={tool} className="text-warn">
                <Code>{tool}</Code> is left out: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function State({ state }: { readonly state: Server['state'] }) {
  const { icon: Icon, style, words } = shown(state);
  return (
    <span className={`inline-flex items-center gap-1.5 text-xs ${style}`}>
      <Icon
        className={`size-3.5 ${state.status === 'connecting' ? 'animate-spin' : ''}`}
        aria-hidden="true"
      />
      {words}
    </span>
  );
}

function shown(state: Server['state']) {
  switch (state.status) {
    case 'ready':
      return { icon: Plug, style: 'text-good', words: `Ready · ${countOfTools(state.tools.length)}` };
    case 'connecting':
      return { icon: LoaderCircle, style: 'text-soft', words: 'Starting…' };
    case 'failed':
      return { icon: CircleX, style: 'text-bad', words: 'Failed' };
    case 'disabled':
      return { icon: PowerOff, style: 'text-soft', words: 'Disabled' };
  }
}

function countOfTools(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`;
}
