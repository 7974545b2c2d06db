// A link to a file of the workspace, with its version.

import type { CallItem } from '@continuo/protocol';
import { Link } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { pages } from '../app/pages.ts';
import { Visible } from '../ui/visible.tsx';

const STYLE =
  'inline-flex max-w-full items-center gap-1.5 rounded-md border bg-page px-2 py-0.5 font-mono text-xs';

interface FileLinkProps {
  readonly path: string;
  readonly version?: number;
  readonly removed?: boolean;
}

export function FileLink({ path, version, removed = false }: FileLinkProps) {
  const shown = (
    <>
      <FileText className="size-3.5 shrink-0 text-soft" aria-hidden="true" />
      <span className={`truncate ${removed ? 'line-through' : ''}`}>
        <Visible text={path} />
      </span>
      {version !== undefined && (
        <span className="shrink-0 text-soft">{removed ? 'removed' : `v${version}`}</span>
      )}
    </>
  );
  const hasPage = pages.some((page) => page.path === '/files/$');
  if (removed || !hasPage) return <span className={STYLE}>{shown}</span>;
  return (
    <Link to="/files/$" params={{ _splat: path.slice(1) }} className={`${STYLE} hover:bg-hover`}>
      {shown}
    </Link>
  );
}

interface VersionLinkProps {
  readonly file: CallItem['files'][number];
  readonly className: string;
}

/** For a place that already shows the path. */
export function VersionLink({ file: { path, v, removed }, className }: VersionLinkProps) {
  if (removed === true) return <span className={`text-xs text-soft ${className}`}>removed</span>;
  return (
    <Link
      to="/files/$"
      params={{ _splat: path.slice(1) }}
      title={`Open ${path}`}
      className={`${STYLE} ${className} hover:bg-hover`}
    >
      <FileText className="size-3.5 shrink-0 text-soft" aria-hidden="true" />
      <span className="text-soft">{`v${v}`}</span>
      <span className="sr-only"> of {path}</span>
    </Link>
  );
}
