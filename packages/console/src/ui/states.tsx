// Placeholders of a page: loading, empty, not found, failed.

import type { LucideIcon } from 'lucide-react';
import { CircleAlert, LoaderCircle, SearchX, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, ConnectionError } from '@continuo/client';
import { Button } from './button.tsx';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p role="status" className="flex items-center justify-center gap-2 p-10 text-sm text-soft">
      <LoaderCircle className="size-4 animate-spin" aria-hidden="true" />
      Loading {what}…
    </p>
  );
}

export function Empty({
  icon: Icon,
  title,
  heading: Heading = 'h2',
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  /** `h1` if the page has no other. */
  readonly heading?: 'h1' | 'h2';
  readonly children?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <span className="grid size-11 place-items-center rounded-xl border bg-panel text-soft">
        <Icon className="size-5" aria-hidden="true" />
      </span>
      <Heading className="mt-4 font-semibold">{title}</Heading>
      <div className="mt-1 text-sm text-soft">{children}</div>
    </div>
  );
}

/** Whether the object does not exist, or the id is not valid. */
export function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === 'invalid_params');
}

export function Missing({ what }: { readonly what: 'chat' | 'run' }) {
  return (
    <Empty icon={SearchX} title={`${what === 'chat' ? 'Chat' : 'Run'} not found`} heading="h1">
      The address may be outdated or incomplete. Your chats are in the sidebar.
    </Empty>
  );
}

export function Failure({
  error,
  retry,
  heading: Heading = 'h2',
}: {
  readonly error: Error;
  readonly retry?: () => void;
  readonly heading?: 'h1' | 'h2';
}) {
  const offline = error instanceof ConnectionError;
  const Icon = offline ? Unplug : CircleAlert;
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <span className="grid size-11 place-items-center rounded-xl bg-bad-wash text-bad">
        <Icon className="size-5" aria-hidden="true" />
      </span>
      <Heading className="mt-4 font-semibold">
        {offline ? 'The server is not responding' : 'Something went wrong'}
      </Heading>
      <p className="mt-1 text-sm text-soft">
        {offline ? 'This page continues by itself as soon as the server is back.' : error.message}
      </p>
      {retry && (
        <Button onClick={retry} className="mt-4">
          Try again
        </Button>
      )}
    </div>
  );
}
