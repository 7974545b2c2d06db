// Buttons, in four styles.

import type { ComponentProps, ReactNode } from 'react';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

const STYLE: Record<Kind, string> = {
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
      className={`${BASE} ${STYLE[kind]} px-3 py-1.5 text-sm ${className}`}
      {...withFocus(rest)}
    />
  );
}

/** An icon without text; `label` is its accessible name. */
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
      className={`${BASE} ${STYLE[kind]} size-8 justify-center [&>svg]:size-4.5 ${className}`}
      {...withFocus(rest)}
    >
      {children}
    </button>
  );
}

/** A disabled button stays focusable, so that pressing it does not lose the focus. */
function withFocus({ disabled, ...rest }: ComponentProps<'button'>): ComponentProps<'button'> {
  return disabled ? { ...rest, 'aria-disabled': true, onClick: (event) => event.preventDefault() } : rest;
}
