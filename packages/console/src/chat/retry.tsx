// The same message again, for a run that failed or was stopped.

import { RotateCcw } from 'lucide-react';
import { useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { useIsPast } from './past.ts';
import { toMessage } from './to-message.ts';

export function Retry({ run }: { readonly run: string }) {
  const [asked, setAsked] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const past = useIsPast();
  const retry = async () => {
    setAsked(true);
    setProblem(null);
    try {
      await client.runs.retry(run);
      toMessage(button.current);
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
        disabled={asked || past}
        onClick={() => void retry()}
      >
        <RotateCcw className="size-3.5" aria-hidden="true" />
        Try again
      </Button>
      {problem && (
        <p role="alert" className="w-full text-sm text-bad wrap-anywhere">
          It could not be tried again: {problem}
        </p>
      )}
    </>
  );
}
