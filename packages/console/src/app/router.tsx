// Maps addresses to pages.

import { createRootRoute, createRoute, createRouter, useParams } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { pages } from './pages.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty icon={SearchX} title="Page not found" heading="h1">
      The address may be outdated. Your chats are in the sidebar.
    </Empty>
  ),
});

const routes = pages.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyPart(async () => (await load()).Page),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading what="the page" />,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error as Error} retry={reset} heading="h1" />,
});

/** A parameter of the address. */
export function useParam(name: string): string {
  return (useParams({ strict: false }) as Record<string, string | undefined>)[name] ?? '';
}
