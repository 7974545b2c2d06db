// The default model and the providers. API keys are set in the server's environment and never entered here.

import { Check, CircleDashed } from 'lucide-react';
import { useModels } from '../chat/pickers.tsx';
import { CARD, Code, Section } from './section.tsx';

export function Models() {
  const query = useModels();
  return (
    <Section
      title="Model"
      about="Used unless the message, its chat or its role names another model."
      query={query}
    >
      {({ default: usual, models, providers }) => (
        <>
          <p className="rounded-xl border bg-raised px-4 py-3 text-sm">
            <Code>{usual}</Code>
            {usual.startsWith('offline/') && (
              <span className="text-soft">
                {' '}
                · no language model is connected; an offline stand-in answers
              </span>
            )}
          </p>
          <h3 className="mt-4 mb-2 text-sm font-medium">Providers</h3>
          <ul className={CARD}>
            {providers.map(({ name, usable, set }) => (
              <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
                {usable ? (
                  <Check className="size-4 shrink-0 text-good" aria-hidden="true" />
                ) : (
                  <CircleDashed className="size-4 shrink-0 text-soft" aria-hidden="true" />
                )}
                <span className="w-32 shrink-0">{name}</span>
                <span className="min-w-0 text-soft">
                  {usable ? (
                    <Ready models={models.filter((id) => id.startsWith(`${name}/`))} />
                  ) : (
                    <>
                      Set{' '}
                      {set.map((each, index) => (
                        <Variable key={each} name={each} first={index === 0} />
                      ))}
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
          <p className="mt-2 text-xs text-soft">
            Set keys in the server’s environment, for example <Code>{example(providers)} npm start</Code>; the
            server reads them when it starts. <Code>CONTINUO_MODEL</Code> sets the default model; a message
            can name any other model of a provider.
          </p>
        </>
      )}
    </Section>
  );
}

function Ready({ models }: { readonly models: readonly string[] }) {
  if (models.length < 2) return 'Ready';
  return (
    <details>
      <summary className="hover:text-ink">Ready · {models.length} known models</summary>
      <ul className="mt-1 space-y-0.5 border-l-2 pl-3 text-xs">
        {models.map((id) => (
          <li key={id}>
            <Code>{id}</Code>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Variable({ name, first }: { readonly name: string; readonly first: boolean }) {
  return (
    <>
      {!first && ' or '}
      <Code>{name}</Code>
    </>
  );
}

function example(providers: readonly { readonly set: readonly string[] }[]): string {
  return `${providers.flatMap(({ set }) => set)[0] ?? 'ANTHROPIC_API_KEY'}=…`;
}
