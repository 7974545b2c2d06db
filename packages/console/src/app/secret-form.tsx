// Asks for one secret: the server's API key, or the person's token.

import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

interface SecretFormProps {
  readonly label: string;
  readonly autoComplete: 'current-password' | 'off';
  /** Resolves with null if the secret was accepted, or with the reason why not. */
  readonly submit: (secret: string) => Promise<string | null>;
  /** The heading, and how to find the secret. */
  readonly children: ReactNode;
  /** A second button, to close the form without an answer. */
  readonly dismiss?: ReactNode;
  readonly className?: string;
}

export function SecretForm({
  label,
  autoComplete,
  submit,
  children,
  dismiss,
  className = '',
}: SecretFormProps) {
  const id = useId();
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      setProblem(await submit(secret.trim()));
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)} className={className}>
      {children}
      <label className="mt-4 block text-sm font-medium" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        type="password"
        autoComplete={autoComplete}
        autoFocus
        required
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
        aria-describedby={problem ? `${id}-problem` : undefined}
        aria-invalid={problem !== null}
        className="mt-1.5 w-full rounded-lg border border-strong bg-page px-3 py-2 font-mono text-sm"
      />
      {problem && (
        <p id={`${id}-problem`} role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
      <div className="mt-5 flex justify-end gap-2">
        {dismiss}
        <Button
          kind="primary"
          type="submit"
          disabled={busy}
          className={dismiss ? '' : 'w-full justify-center'}
        >
          {busy ? 'Checking…' : 'Continue'}
        </Button>
      </div>
    </form>
  );
}
