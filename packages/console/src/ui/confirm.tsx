// A dialog that asks for confirmation.

import { AlertDialog } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { restoreFocus } from './focus.ts';

export const OVERLAY = 'fixed inset-0 z-40 bg-[#0006]';
export const BOX =
  'fixed top-[18vh] left-1/2 z-50 max-h-[80vh] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 rounded-xl border overflow-y-auto bg-raised p-5 shadow-xl outline-none';

/** Runs an action that may fail, and keeps the error. */
export function useAct(act: () => Promise<void>, close: () => void) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await act();
      setProblem(null);
      close();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  /** Does nothing while the action runs, because its error could not be shown. */
  const leave = () => busy || close();
  return { problem, busy, run: () => void run(), leave };
}

interface ConfirmProps {
  readonly open: boolean;
  readonly close: () => void;
  readonly title: ReactNode;
  readonly action: string;
  readonly act: () => Promise<void>;
  readonly children: ReactNode;
}

export function Confirm({ open, close, title, action, act, children }: ConfirmProps) {
  const { problem, busy, run, leave } = useAct(act, close);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && leave()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={OVERLAY} />
        <AlertDialog.Content className={BOX} onCloseAutoFocus={restoreFocus}>
          <AlertDialog.Title className="font-semibold break-words">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1.5 text-sm text-soft">{children}</AlertDialog.Description>
          {problem && (
            <p role="alert" className="mt-2 text-sm text-bad">
              {problem}
            </p>
          )}
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button disabled={busy}>Cancel</Button>
            </AlertDialog.Cancel>
            <Button kind="danger" disabled={busy} onClick={run}>
              {action}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
