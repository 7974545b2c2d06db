// Looks for what is wrong, and says how to mend it. Changes nothing.

import { modelInUse, problemWithModel } from '@continuo/server';
import { ConfigError, loadConfig, type Config } from '@continuo/server/upkeep';
import { checkedUrl, serverUrl, type Remote } from '../connect.ts';
import { checkDatabase } from '../doctor/database.ts';
import { checkDisk, checkFolders, checkPrograms } from '../doctor/disk.ts';
import type { Check } from '../doctor/check.ts';
import { checkPort, checkServer } from '../doctor/server.ts';
import { EXIT } from '../failure.ts';
import { dim, green, note, print, printJson, red, safe, yellow } from '../output.ts';

export type DoctorOptions = Remote & { readonly home?: string };

export async function doctor({ json, url, home }: DoctorOptions): Promise<void> {
  if (url !== undefined) checkedUrl(url);
  const env: NodeJS.ProcessEnv = { ...process.env, ...(home !== undefined && { CONTINUO_HOME: home }) };
  const checks: Check[] = [];
  const tell = (found: readonly Check[]) => {
    checks.push(...found);
    if (!json) for (const check of found) print(shown(check));
  };
  tell([
    { name: 'node', status: 'ok', says: `Node ${process.version} on ${process.platform}-${process.arch}` },
  ]);
  const config = await settings(env, tell);
  if (config) {
    tell(await checkDisk(config));
    tell(checkPrograms(config));
    tell(await checkDatabase(config));
    tell([model(config, env)]);
    tell(await checkPort(config));
    tell(await checkFolders(config));
  }
  const named = url ?? env.CONTINUO_URL;
  const address = named || serverUrl({ ...env, ...(config && addressOf(config)) });
  tell(await checkServer({ url: address, apiKey: env.CONTINUO_API_KEY, expected: Boolean(named) }));

  const ok = checks.every(({ status }) => status !== 'bad');
  if (json) printJson({ ok, checks });
  else note(ok ? 'Nothing is wrong.' : red('Something is wrong; the lines above say how to mend it.'));
  process.exitCode = ok ? EXIT.ok : EXIT.failed;
}

async function settings(env: NodeJS.ProcessEnv, tell: (checks: Check[]) => void): Promise<Config | null> {
  try {
    const config = await loadConfig({ env, cwd: process.cwd(), modelProblem: problemWithModel(env) });
    tell([{ name: 'settings', status: 'ok', says: `they are valid; the data folder is ${config.home}` }]);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    tell(
      error.problems.map((problem) => {
        const [says = '', ...rest] = problem.split('; ');
        return { name: 'settings', status: 'bad', says, mend: rest.join('; ') || 'Change or unset it.' };
      }),
    );
    return null;
  }
}

function model(config: Config, env: NodeJS.ProcessEnv): Check {
  const { id, problem, keys, advice } = modelInUse(env, config.model);
  if (problem !== null)
    return { name: 'model', status: 'bad', says: problem, mend: 'Set CONTINUO_MODEL to another.' };
  if (!id.startsWith('offline/'))
    return { name: 'model', status: 'ok', says: `${id} answers; its key is set, and was not tried` };
  return {
    name: 'model',
    status: 'warn',
    says: `${id} answers: no language model is connected`,
    mend: advice.length > 0 ? `${advice.join('; ')}.` : `Set a provider's key: ${keys.join(', ')}.`,
  };
}

function addressOf({ host, port }: Config): Record<string, string> {
  return { CONTINUO_HOST: host, CONTINUO_PORT: String(port) };
}

function shown({ name, status, says, mend }: Check): string {
  const mark = { ok: green('✓'), warn: yellow('!'), bad: red('✗') }[status];
  return `${mark} ${name.padEnd(9)} ${safe(says)}${mend === undefined ? '' : `\n            ${dim(mend)}`}`;
}
