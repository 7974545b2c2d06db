// The form of an MCP server: a program or a URL. Stored values of variables and headers are never sent back, so an unchanged one is
// kept on the server.

import { useState, type ClipboardEvent, type FormEvent } from 'react';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { splitCommand } from './command-line.ts';
import { Labelled } from './labelled.tsx';
import { FIELD } from './section.tsx';

type Server = Awaited<ReturnType<typeof client.mcp.list>>['items'][number];

/** Stands for a stored value. */
const KEPT = '(stored)';

interface ServerFormProps {
  /** The server to change; null: a new one. */
  readonly server: Server | null;
  readonly taken: readonly string[];
  readonly done: () => void;
  readonly cancel: () => void;
}

export function ServerForm({ server, taken, done, cancel }: ServerFormProps) {
  const config = server?.config;
  const program = config?.transport === 'stdio' ? config : null;
  const remote = config?.transport === 'http' ? config : null;
  const [transport, setTransport] = useState<'stdio' | 'http'>(config?.transport ?? 'stdio');
  const [name, setName] = useState(server?.name ?? '');
  const [command, setCommand] = useState(program?.command ?? '');
  const [args, setArgs] = useState((program?.args ?? []).join('\n'));
  const [folder, setFolder] = useState(program?.cwd ?? '');
  const [url, setUrl] = useState(remote?.url ?? '');
  const [pairs, setPairs] = useState(() =>
    textOf(program?.env ?? remote?.headers ?? {}, program ? '=' : ': '),
  );
  const [trust, setTrust] = useState(config?.trust ?? false);
  const [enabled, setEnabled] = useState(config?.enabled ?? true);
  const [limit, setLimit] = useState(String(config?.timeout_seconds ?? 60));
  const [split, setSplit] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const verb = server ? 'Save' : 'Add';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!server && taken.includes(name))
      return setProblem(`A server named ${name} already exists; edit that one, or choose another name.`);
    setBusy(true);
    setProblem(null);
    const common = { trust, timeout_seconds: Number(limit), enabled };
    try {
      await client.mcp.set(
        name,
        transport === 'stdio'
          ? {
              ...common,
              transport,
              command,
              args: linesOf(args),
              env: pairsOf(pairs, '='),
              ...(folder.trim() !== '' && { cwd: folder.trim() }),
            }
          : { ...common, transport, url, headers: pairsOf(pairs, ':') },
      );
      done();
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  /** A pasted command line goes to the fields that its parts belong to. */
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const pasted = event.clipboardData.getData('text');
    if (selectionStart !== 0 || selectionEnd !== value.length) return;
    const line = splitCommand(pasted);
    if (!line || (line.args.length === 0 && Object.keys(line.env).length === 0)) return;
    event.preventDefault();
    setCommand(line.command);
    setArgs(line.args.join('\n'));
    if (Object.keys(line.env).length > 0) setPairs(textOf(line.env, '='));
    setSplit(true);
  };
  return (
    <form
      aria-label={server ? `Edit ${server.name}` : 'Add an MCP server'}
      onSubmit={(event) => void submit(event)}
      className={`grid gap-3 text-sm ${server ? 'mt-2 border-t pt-3' : 'mt-3 rounded-xl border bg-raised p-4'}`}
    >
      <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
        <legend className="sr-only">Kind of server</legend>
        {(['stdio', 'http'] as const).map((kind) => (
          <label key={kind} className="flex items-center gap-2">
            <input
              type="radio"
              name={`transport-${server?.name ?? ''}`}
              checked={transport === kind}
              onChange={() => setTransport(kind)}
              className="accent-accent"
            />
            {kind === 'stdio' ? 'Program (stdio)' : 'URL (HTTP)'}
          </label>
        ))}
      </fieldset>
      {!server && (
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
      )}
      {transport === 'stdio' ? (
        <>
          <Labelled
            label="Command"
            hint="Started directly, not through a shell. Paste a whole command line to split it."
          >
            {(id) => (
              <input
                id={id}
                required
                autoFocus={server !== null}
                value={command}
                onPaste={paste}
                onChange={(event) => setCommand(event.target.value)}
                className={`${FIELD} font-mono`}
              />
            )}
          </Labelled>
          <p role="status" className="-mt-2 text-xs text-soft empty:hidden">
            {split && 'The command line was split into the command, its arguments and its variables.'}
          </p>
          <Labelled label="Arguments" hint="One per line.">
            {(id) => (
              <textarea
                id={id}
                rows={Math.min(6, Math.max(2, args.split('\n').length))}
                value={args}
                onChange={(event) => setArgs(event.target.value)}
                className={`${FIELD} font-mono`}
              />
            )}
          </Labelled>
          <Labelled label="Folder" hint="Where it is started: an absolute path. Default: the server’s own.">
            {(id) => (
              <input
                id={id}
                value={folder}
                spellCheck={false}
                onChange={(event) => setFolder(event.target.value)}
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
        hint={`One per line, as ${transport === 'stdio' ? 'NAME=value' : 'name: value'}. \${NAME} is replaced by that variable of the server’s environment, \${secret:NAME} by a secret of the workspace.${server ? ` ${KEPT} keeps the value.` : ''}`}
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
      <Labelled label="Time limit of a call" hint="In seconds, 1 to 3600.">
        {(id) => (
          <input
            id={id}
            type="number"
            required
            min={1}
            max={3600}
            step="any"
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
            className={`${FIELD} max-w-32`}
          />
        )}
      </Labelled>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          checked={trust}
          onChange={(event) => setTrust(event.target.checked)}
          className="mt-1 accent-accent"
        />
        <span>
          Trust what it says about the effects of its tools
          <span className="block text-xs text-soft">
            Without trust, every call counts as one that changes something outside, and the policy asks about
            it.
          </span>
        </span>
      </label>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={enabled}
          onChange={(event) => setEnabled(event.target.checked)}
          className="accent-accent"
        />
        Enabled
      </label>
      {problem && (
        <p role="alert" className="break-words text-bad">
          {problem}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={cancel}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={busy}>
          {busy ? 'Saving…' : verb}
        </Button>
      </div>
    </form>
  );
}

function textOf(values: Readonly<Record<string, string | null>>, sign: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${sign}${value ?? KEPT}`)
    .join('\n');
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** A line without the separator becomes a name with an empty value, which the server refuses with a message. Null keeps a value. */
function pairsOf(text: string, sign: string): Record<string, string | null> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf(sign);
      if (at < 0) return [line.trim(), ''];
      const value = line.slice(at + 1).trim();
      return [line.slice(0, at).trim(), value === KEPT ? null : value];
    }),
  );
}
