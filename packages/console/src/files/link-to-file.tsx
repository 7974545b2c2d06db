// A link to a file: on the files page, or on the page that shows it.

import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { useFileAddress } from './file-home.ts';
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
  const addressOf = useFileAddress();
  return <Link {...addressOf(path)} search={search} preload={false} {...rest} />;
}

export function useOpenFile(): (path: string, search?: FileSearch) => void {
  const navigate = useNavigate();
  const addressOf = useFileAddress();
  return (path, search = {}) => void navigate({ ...addressOf(path), search });
}
