// Adds an MCP server: a program or a URL.

import { useState, type FormEvent } from 'react';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Labelled } from './labelled.tsx';
import { FIELD } from './section.tsx';

const USUAL = { trust: false, timeout_seconds: 60, enabled: true };

interface AddServerProps {
  readonly taken: readonly string[];
  readonly done: () => void;
  readonly cancel: () => void;
}

export function AddServer({ taken, done, cancel }: AddServerProps) {
  const [transport, setTransport] = useState<'stdio' | 'http'>('stdio');
  const [name, setName] = useState('');
  const [command, setCommand] = useState('');
  const [args, setArgs] = useState('');
  const [url, setUrl] = useState('');
  const [pairs, setPairs] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (taken.includes(name)) return setProblem(`A server named ${name} already exists; remove it first.`);
    setBusy(true);
    setProblem(null);
    try {
      await client.mcp.set(
        name,
        transport === 'stdio'
          ? { ...USUAL, transport, command, args: linesOf(args), env: pairsOf(pairs, '=') }
          : { ...USUAL, transport, url, headers: pairsOf(pairs, ':') },
      );
      done();
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <form
      aria-label="Add an MCP server"
      onSubmit={(event) => void submit(event)}
      className="mt-3 grid gap-3 rounded-xl border bg-raised p-4 text-sm"
    >
      <fieldset className="flex gap-4">
        <legend className="sr-only">Kind of server</legend>
        {(['stdio', 'http'] as const).map((kind) => (
          <label key={kind} className="flex items-center gap-2">
            <input
              type="radio"
              name="transport"
              checked={transport === kind}
              onChange={() => setTransport(kind)}
              className="accent-accent"
            />
            {kind === 'stdio' ? 'Program (stdio)' : 'URL (HTTP)'}
          </label>
        ))}
      </fieldset>
      <Labelled label="Name" hint="Its tools are named name__tool.">
        {(id) => (
          <input
            id={id}
            required
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
            className={FIELD}
          />
        )}
      </Labelled>
      {transport === 'stdio' ? (
        <>
          <Labelled label="Command" hint="Started directly, not through a shell.">
            {(id) => (
              <input
                id={id}
                required
                value={command}
                onChange={(event) => setCommand(event.target.value)}
                className={`${FIELD} font-mono`}
              />
            )}
          </Labelled>
          <Labelled label="Arguments" hint="One per line.">
            {(id) => (
              <textarea
                id={id}
                rows={2}
                value={args}
                onChange={(event) => setArgs(event.target.value)}
                className={`${FIELD} font-mono`}
              />
            )}
          </Labelled>
        </>
      ) : (
        <Labelled label="URL">
          {(id) => (
            <input
              id={id}
              required
              type="url"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
              className={`${FIELD} font-mono`}
            />
          )}
        </Labelled>
      )}
      <Labelled
        label={transport === 'stdio' ? 'Environment' : 'Headers'}
        hint={`One per line, as ${transport === 'stdio' ? 'NAME=value' : 'name: value'}. \${NAME} is replaced by that variable of the server’s environment, \${secret:NAME} by a secret of the workspace.`}
      >
        {(id) => (
          <textarea
            id={id}
            rows={2}
            value={pairs}
            onChange={(event) => setPairs(event.target.value)}
            className={`${FIELD} font-mono`}
          />
        )}
      </Labelled>
      {problem && (
        <p role="alert" className="break-words text-bad">
          {problem}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={cancel}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={busy}>
          {busy ? 'Adding…' : 'Add'}
        </Button>
      </div>
    </form>
  );
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** A line without the separator becomes a name with an empty value, which the server refuses with a message. */
function pairsOf(text: string, sign: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf(sign);
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
