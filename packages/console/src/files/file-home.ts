// Where a file is shown. A document's file is shown on the page of its project, and links to the file and its history stay
// there.

import { createContext, useContext } from 'react';

interface FileHome {
  readonly path: string;
  /** The page, as the router names it. */
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
}

const Home = createContext<FileHome | null>(null);

export const FileHomeProvider = Home.Provider;

/** Null: the files page. */
export function useFileHome(path: string): FileHome | null {
  const home = useContext(Home);
  return home?.path === path ? home : null;
}

/** The page of a file, for the router. */
export function useFileAddress(): (path: string) => Pick<FileHome, 'to' | 'params'> {
  const home = useContext(Home);
  return (path) =>
    home?.path === path
      ? { to: home.to, params: home.params }
      : { to: '/files/$', params: { _splat: path.slice(1) } };
}
