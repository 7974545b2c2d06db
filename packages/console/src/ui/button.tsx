// Buttons: one look for each weight of what they do.

import type { ComponentProps, ReactNode } from 'react';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

const LOOK: Record<Kind, string> = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-hover border-transparent',
  plain: 'bg-raised text-ink border-line hover:bg-hover',
  quiet: 'text-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-raised text-bad border-line hover:bg-bad-wash',
};

const BASE =
  'inline-flex items-center gap-1.5 rounded-lg border font-medium transition-colors whitespace-nowrap aria-disabled:pointer-events-none aria-disabled:opacity-60';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: Kind;
}

export function Button({ kind = 'plain', className = '', type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={`${BASE} ${LOOK[kind]} px-3 py-1.5 text-sm ${className}`}
      {...withFocus(rest)}
    />
  );
}

/** A sign alone; `label` says what it does. */
export function IconButton({
  label,
  kind = 'quiet',
  className = '',
  children,
  ...rest
}: ButtonProps & { readonly label: string; readonly children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`${BASE} ${LOOK[kind]} size-8 justify-center [&>svg]:size-4.5 ${className}`}
      {...withFocus(rest)}
    >
      {children}
    </button>
  );
}

/** What cannot be pressed just now keeps the focus of whoever pressed it. */
function withFocus({ disabled, ...rest }: ComponentProps<'button'>): ComponentProps<'button'> {
  return disabled ? { ...rest, 'aria-disabled': true, onClick: (event) => event.preventDefault() } : rest;
}
