// One of a few things, chosen as the system does it.

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly className?: string;
}

export function Select({ label, value, choose, choices, className = '' }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => choose(event.target.value)}
      className={`max-w-52 rounded-lg border border-strong/60 bg-raised px-2.5 py-1.5 text-sm hover:bg-hover ${className}`}
    >
      {choices.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}
