// Copies a link that opens the chat at a message.

import { Link2 } from 'lucide-react';
import { useParam } from '../app/router.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useIsReplay } from './replay-context.ts';

export function MomentLink({ seq }: { readonly seq: number }) {
  const chat = useParam('chat');
  if (useIsReplay() || chat === '') return null;
  return (
    <CopyButton
      text={`${location.origin}/chats/${chat}?at=${seq}`}
      what="a link to this message"
      icon={Link2}
    />
  );
}
