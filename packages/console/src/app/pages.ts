// Every page: where it is, what it is called, and its file, which is loaded when somebody goes there. A page is a module that
// exports `Page`; one with a `label` stands in the navigation.

import { FolderTree, ListTree, Settings, ShieldQuestion, type LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';

export interface PageEntry {
  /** As the router writes it; a `$` is what varies. */
  readonly path: string;
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
  readonly label?: string;
  readonly icon?: LucideIcon;
  /** Where the navigation leads, if that is not the path. */
  readonly to?: string;
}

export const pages: readonly PageEntry[] = [
  { path: '/', load: () => import('../pages/new-chat.tsx') },
  { path: '/put-away', load: () => import('../pages/put-away.tsx') },
  { path: '/chats/$chat', load: () => import('../pages/chat.tsx') },
  {
    path: '/approvals',
    load: () => import('../pages/approvals.tsx'),
    label: 'Approvals',
    icon: ShieldQuestion,
  },
  {
    path: '/files/$',
    to: '/files',
    load: () => import('../pages/files.tsx'),
    label: 'Files',
    icon: FolderTree,
  },
  { path: '/runs', load: () => import('../pages/runs.tsx'), label: 'Runs', icon: ListTree },
  { path: '/runs/$run', load: () => import('../pages/run.tsx') },
  { path: '/settings', load: () => import('../pages/settings.tsx'), label: 'Settings', icon: Settings },
];
