// Edits the input of a call before approval.

import { useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { escapeHidden } from '../ui/hidden-characters.ts';

interface EditInputProps {
  readonly input: unknown;
  readonly busy: boolean;
  readonly save: (input: Record<string, unknown>) => void;
  readonly cancel: () => void;
}

export function EditInput({ input, busy, save, cancel }: EditInputProps) {
  const [text, setText] = useState(() => escapeHidden(JSON.stringify(input, null, 2)));
  const parsed = parse(text);
  const field = useId();
  return (
    <div className="mt-3">
      <label className="text-xs font-medium text-soft" htmlFor={field}>
        Input as JSON
      </label>
      <textarea
        id={field}
        autoFocus
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-invalid={!parsed.ok}
        className="mt-1 field-sizing-content max-h-96 min-h-24 w-full rounded-lg border border-strong bg-page px-3 py-2 font-mono text-[0.8125rem]"
      />
      {!parsed.ok && <p className="text-xs text-bad">{parsed.problem}</p>}
      <div className="mt-2 flex gap-2">
        <Button kind="primary" disabled={busy || !parsed.ok} onClick={() => parsed.ok && save(parsed.value)}>
          Approve with this input
        </Button>
        <Button disabled={busy} onClick={cancel}>
          Back
        </Button>
      </div>
    </div>
  );
}

function parse(text: string): { ok: true; value: Record<string, unknown> } | { ok: false; problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ok: true, value: value as Record<string, unknown> };
    return { ok: false, problem: 'The input must be a JSON object: { … }.' };
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}
