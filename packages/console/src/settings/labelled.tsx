// A field of a form with its label and a hint.

import { useId, type ReactNode } from 'react';

interface LabelledProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: (id: string) => ReactNode;
}

export function Labelled({ label, hint, children }: LabelledProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {hint && <span className="ml-2 text-xs text-soft">{hint}</span>}
      <div className="mt-1">{children(id)}</div>
    </div>
  );
}
