// Opens the console for a person: the link contains the token, which the browser keeps.

import { personLink, readPersonToken } from '@continuo/server/person-token';
import { checkedUrl, homeOf, serverUrl, type Remote } from '../connect.ts';
import { CommandError, EXIT } from '../failure.ts';
import { openBrowser } from '../open-browser.ts';
import { print, printJson } from '../output.ts';

export interface OpenOptions extends Pick<Remote, 'json' | 'url'> {
  readonly home?: string;
  readonly open: boolean;
}

export async function openConsole({ json = false, url, home, open }: OpenOptions): Promise<void> {
  const { env } = process;
  const folder = homeOf({ ...env, ...(home !== undefined && { CONTINUO_HOME: home }) });
  const token = env.CONTINUO_PERSON_TOKEN || (await readPersonToken(folder));
  if (!token) {
    throw new CommandError(`There is no person's token in ${folder}.`, {
      code: 'no_token',
      exitCode: EXIT.notFound,
      hint: 'The first start of a server makes it. Name its data folder with --home, or run this where the server was started.',
    });
  }
  const link = personLink(checkedUrl(url ?? serverUrl(env)).replace(/\/+$/, ''), token);
  if (json) printJson({ url: link });
  else print(link);
  if (open && process.stdout.isTTY) openBrowser(link, env);
}
