// Opens the console in the browser.

import { spawn } from 'node:child_process';

/** Does nothing without a browser: the banner shows the address. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  // A server that listens on every address is reached by this name.
  const shown = url.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost');
  const command = opener(process.platform, env);
  if (!command) return;
  const child = spawn(command.file, [...command.args, shown], { detached: true, stdio: 'ignore' });
  child.once('error', () => undefined);
  child.unref();
}

function opener(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): { readonly file: string; readonly args: readonly string[] } | null {
  if (platform === 'darwin') return { file: 'open', args: [] };
  if (platform === 'win32') return { file: 'cmd', args: ['/c', 'start', '""'] };
  return env.DISPLAY || env.WAYLAND_DISPLAY ? { file: 'xdg-open', args: [] } : null;
}
