// What a call does to entities, in words, and links to them.

import { Link } from '@tanstack/react-router';
import type { CallItem, OperationAction } from '@continuo/protocol';
import { Shapes } from 'lucide-react';
import { Visible } from '../ui/visible.tsx';

type Operation = CallItem['operations'][number];

const WORDS: Record<
  OperationAction,
  { readonly start: string; readonly success: string; readonly error: string }
> = {
  list: { start: 'Listing', success: 'Listed', error: 'list' },
  search: { start: 'Searching', success: 'Searched', error: 'search' },
  read: { start: 'Reading', success: 'Read', error: 'read' },
  create: { start: 'Creating', success: 'Created', error: 'create' },
  update: { start: 'Changing', success: 'Changed', error: 'change' },
  delete: { start: 'Removing', success: 'Removed', error: 'remove' },
};

/** “Created task “Rent chairs””, “Searching documents for “moon”…” */
export function operationWords(operation: Operation): string {
  const verb = WORDS[operation.action][operation.status];
  const object = objectOf(operation);
  switch (operation.status) {
    case 'start':
      return `${verb} ${object}…`;
    case 'success':
      return `${verb} ${object}`;
    case 'error':
      return `Could not ${verb} ${object}`;
  }
}

function objectOf({ action, entity_type, entity_name }: Operation): string {
  const kind = entity_type.replaceAll('_', ' ');
  switch (action) {
    // The name is the collection.
    case 'list':
      return entity_name.slice(0, 1).toLowerCase() + entity_name.slice(1);
    // The name is the query. A search of a project or of the workspace, which finds all kinds, has the kind `project`.
    case 'search':
      return `${entity_type === 'project' ? '' : `${kind}s `}for “${entity_name}”`;
    default:
      return `${kind} “${entity_name}”`;
  }
}

export function EntityLink({ operation: { entity_id, entity_name } }: { readonly operation: Operation }) {
  return (
    <Link
      to="/entities/$entity"
      params={{ entity: entity_id! }}
      preload={false}
      className="inline-flex max-w-full items-center gap-1.5 rounded-md border bg-page px-2 py-0.5 text-xs hover:bg-hover"
    >
      <Shapes className="size-3.5 shrink-0 text-soft" aria-hidden="true" />
      <span className="truncate">
        <Visible text={entity_name} />
      </span>
    </Link>
  );
}
