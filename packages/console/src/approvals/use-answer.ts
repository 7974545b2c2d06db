// A person's decision about an approval. Repeated clicks send one decision; if another person was faster, their decision counts.

import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';

export type Answer = Parameters<typeof client.approvals.decide>[1];

const DECISION_TEXT: Record<Answer['decision'], string> = {
  approve: 'Approved. The run continues.',
  edit: 'Approved with changes. The run continues.',
  deny: 'Denied. The model is told.',
  retry: 'Retried. The call is made again.',
  skip: 'Skipped. The model is told.',
  answer: 'Answered. The call continues.',
};

type AnswerState =
  | { readonly kind: 'open' }
  | { readonly kind: 'answering' }
  | {
      readonly kind: 'answered';
      readonly decisionText: string;
      /** Another person was faster. */ readonly late: boolean;
    }
  | { readonly kind: 'failed'; readonly problem: string };

export function useAnswer(id: string) {
  const cache = useQueryClient();
  const [state, setState] = useState<AnswerState>({ kind: 'open' });
  const sent = useRef(false);
  const send = async (body: Answer) => {
    // A second click can arrive before the button is disabled.
    if (sent.current) return;
    sent.current = true;
    setState({ kind: 'answering' });
    try {
      await client.approvals.decide(id, body);
      setState({ kind: 'answered', decisionText: DECISION_TEXT[body.decision], late: false });
    } catch (error) {
      sent.current = false;
      const late = error instanceof ApiError && error.status === 409;
      setState(
        late
          ? { kind: 'answered', decisionText: error.message, late }
          : { kind: 'failed', problem: (error as Error).message },
      );
    }
    void cache.invalidateQueries({ queryKey: keys.approvals });
  };
  return { state, answer: (body: Answer) => void send(body) };
}
