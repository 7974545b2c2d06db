// Retries a failed or canceled run.

import { RotateCcw } from 'lucide-react';
import { useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { useIsReplay } from './replay-context.ts';
import { focusComposer } from './focus-composer.ts';

export function Retry({ run }: { readonly run: string }) {
  const [asked, setAsked] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isReplay = useIsReplay();
  const retry = async () => {
    setAsked(true);
    setProblem(null);
    try {
      await client.runs.retry(run);
      focusComposer(button.current);
    } catch (error) {
      setProblem((error as Error).message);
      setAsked(false);
    }
  };
  return (
    <>
      <Button
        ref={button}
        kind="quiet"
        className="!px-2 !py-0.5 !text-xs"
        disabled={asked || isReplay}
        onClick={() => void retry()}
      >
        <RotateCcw className="size-3.5" aria-hidden="true" />
        Retry
      </Button>
      {problem && (
        <p role="alert" className="w-full text-sm text-bad wrap-anywhere">
          The run could not be retried: {problem}
        </p>
      )}
    </>
  );
}
