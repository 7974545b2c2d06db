// A native select, styled as a button.

import { ChevronDown } from 'lucide-react';
import { piecesOf } from './hidden-characters.ts';

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly className?: string;
}

export function Select({ label, value, choose, choices, className = '' }: SelectProps) {
  return (
    <span className={`relative inline-block max-w-52 ${className}`}>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => choose(event.target.value)}
        className="w-full appearance-none truncate rounded-lg border border-strong/60 bg-raised py-1.5 pr-8 pl-3 text-sm text-ink hover:bg-hover"
      >
        {choices.map(([each, words]) => (
          <option key={each} value={each}>
            {piecesOf(words)
              .map(({ text }) => text)
              .join('')}
          </option>
        ))}
      </select>
      <ChevronDown
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-soft"
        aria-hidden="true"
      />
    </span>
  );
}
