// How kinds, states, fields and entities are shown to people.

import {
  FileText,
  Flag,
  FolderKanban,
  ListChecks,
  Route,
  Shapes,
  SquareCheck,
  Target,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';
import type { Entity } from '@continuo/protocol';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  project: FolderKanban,
  document: FileText,
  task: SquareCheck,
  goal: Target,
  plan: Route,
  milestone: Flag,
  risk: TriangleAlert,
  requirement: ListChecks,
};

/** A kind that the console does not know has a general icon. */
export function iconOf(kind: string): LucideIcon {
  return (Object.hasOwn(ICONS, kind) && ICONS[kind]) || Shapes;
}

/** `in_progress` is “In progress”. */
export function inWords(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export function titleOf(entity: Pick<Entity, 'title' | 'name'>): string {
  return entity.title ?? entity.name ?? '';
}

/** A day, a text, or anything else, in one line. */
export function shortValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') return value.replaceAll(/\s+/g, ' ').trim();
  return Array.isArray(value) ? value.map(shortValue).join(', ') : JSON.stringify(value);
}
