// The product's logo.

export function Logo({ className = 'size-7' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M22.5 11.2a8 8 0 1 0 0 9.6"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        className="stroke-accent-ink"
      />
      <circle cx="24.5" cy="16" r="2" className="fill-accent-ink" />
    </svg>
  );
}
