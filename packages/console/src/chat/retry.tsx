// The same message again, for a run that failed or was stopped.

import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { useIsPast } from './past.ts';

export function Retry({ run }: { readonly run: string }) {
  const [asked, setAsked] = useState(false);
  const past = useIsPast();
  const retry = async () => {
    setAsked(true);
    await client.runs.retry(run).catch(() => setAsked(false));
  };
  return (
    <Button
      kind="quiet"
      className="!px-2 !py-0.5 !text-xs"
      disabled={asked || past}
      onClick={() => void retry()}
    >
      <RotateCcw className="size-3.5" aria-hidden="true" />
      Try again
    </Button>
  );
}
