// A button that copies text.

import { Check, Copy, X, type LucideIcon } from 'lucide-react';
import { useState } from 'react';

const SHOWN_MS = 1500;

interface CopyButtonProps {
  readonly text: string;
  readonly what: string;
  readonly icon?: LucideIcon;
}

export function CopyButton({ text, what, icon = Copy }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    setState((await toClipboard(text)) ? 'copied' : 'failed');
    setTimeout(() => setState('idle'), SHOWN_MS);
  };
  const { icon: Icon, label } = {
    idle: { icon, label: `Copy ${what}` },
    copied: { icon: Check, label: 'Copied' },
    failed: { icon: X, label: 'Copying failed' },
  }[state];
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={label}
      title={label}
      className={`grid size-7 place-items-center rounded-md hover:bg-hover ${state === 'failed' ? 'text-bad' : 'text-soft hover:text-ink'}`}
    >
      <Icon className="size-3.5" aria-hidden="true" />
    </button>
  );
}

/** Whether the text was copied. The clipboard API needs https or localhost; otherwise a selection is copied. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr-only';
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}
