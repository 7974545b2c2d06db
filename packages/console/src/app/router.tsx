// Addresses to pages.

import { createRootRoute, createRoute, createRouter, useParams } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { part } from '../ui/part.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { pages } from './pages.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty icon={SearchX} title="There is nothing here" heading="h1">
      The address may be an old one. The chats are on the left.
    </Empty>
  ),
});

const routes = pages.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: part(async () => (await load()).Page),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading what="the page" />,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error as Error} retry={reset} heading="h1" />,
});

/** A part of the address that varies. */
export function useParam(name: string): string {
  return (useParams({ strict: false }) as Record<string, string | undefined>)[name] ?? '';
}
