// A link to a file on the files page.

import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import type { FileSearch } from './file-search.ts';

interface LinkToFileProps extends Pick<
  ComponentProps<'a'>,
  | 'ref'
  | 'role'
  | 'style'
  | 'className'
  | 'title'
  | 'tabIndex'
  | 'onFocus'
  | 'aria-label'
  | 'aria-current'
  | 'aria-level'
  | 'aria-selected'
> {
  readonly path: string;
  readonly search?: FileSearch;
  readonly children: ReactNode;
}

export function LinkToFile({ path, search = {}, ...rest }: LinkToFileProps) {
  return <Link to="/files/$" params={{ _splat: path.slice(1) }} search={search} preload={false} {...rest} />;
}

export function useOpenFile(): (path: string, search?: FileSearch) => void {
  const navigate = useNavigate();
  return (path, search = {}) => void navigate({ to: '/files/$', params: { _splat: path.slice(1) }, search });
}
