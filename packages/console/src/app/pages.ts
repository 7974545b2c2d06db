// Every page: its path, its label, and its module, which is loaded on first visit. A page is a module that exports
// `Page`; a page with a `label` is in the navigation.

import {
  CalendarClock,
  FolderKanban,
  FolderTree,
  ListTree,
  Newspaper,
  Route,
  Settings,
  ShieldQuestion,
  type LucideIcon,
} from 'lucide-react';
import type { ComponentType } from 'react';

export interface PageEntry {
  /** As the router writes it; a `$` marks a parameter. */
  readonly path: string;
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
  readonly label?: string;
  readonly icon?: LucideIcon;
  /** The link of the navigation, if it differs from the path. */
  readonly to?: string;
}

export const pages: readonly PageEntry[] = [
  { path: '/', load: () => import('../pages/new-chat.tsx') },
  { path: '/archived', load: () => import('../pages/archived.tsx') },
  { path: '/chats/$chat', load: () => import('../pages/chat.tsx') },
  { path: '/projects', load: () => import('../pages/projects.tsx'), label: 'Projects', icon: FolderKanban },
  { path: '/projects/$project/$', load: () => import('../pages/project.tsx') },
  { path: '/plans', load: () => import('../pages/plans.tsx'), label: 'Plans', icon: Route },
  { path: '/plans/$plan', load: () => import('../pages/plan.tsx') },
  { path: '/content', load: () => import('../pages/content.tsx'), label: 'Content', icon: Newspaper },
  { path: '/content/$type/$slug', load: () => import('../pages/article.tsx') },
  { path: '/entities/$entity', load: () => import('../pages/entity.tsx') },
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
  { path: '/trash', load: () => import('../pages/trash.tsx') },
  { path: '/runs', load: () => import('../pages/runs.tsx'), label: 'Runs', icon: ListTree },
  { path: '/runs/$run', load: () => import('../pages/run.tsx') },
  {
    path: '/schedules',
    load: () => import('../pages/schedules.tsx'),
    label: 'Schedules',
    icon: CalendarClock,
  },
  { path: '/settings', load: () => import('../pages/settings.tsx'), label: 'Settings', icon: Settings },
];
