// Looks for problems and says how to fix them. Changes nothing.

import { modelInUse, problemWithModel } from '@continuo/server';
import { ConfigError, loadConfig, type Config } from '@continuo/server/upkeep';
import { checkedUrl, serverUrl, type Remote } from '../connect.ts';
import { checkDatabase } from '../doctor/database.ts';
import { checkDisk, checkFolders, checkPrograms, checkSandbox } from '../doctor/disk.ts';
import type { Check } from '../doctor/check.ts';
import { checkPort, checkServer } from '../doctor/server.ts';
import { EXIT } from '../failure.ts';
import { dim, green, note, print, printJson, red, safe, yellow } from '../output.ts';

export type DoctorOptions = Remote & { readonly home?: string };

export async function doctor({ json, url, home }: DoctorOptions): Promise<void> {
  if (url !== undefined) checkedUrl(url);
  const env: NodeJS.ProcessEnv = { ...process.env, ...(home !== undefined && { CONTINUO_HOME: home }) };
  const checks: Check[] = [];
  const report = (found: readonly Check[]) => {
    checks.push(...found);
    if (!json) for (const check of found) print(lineOf(check));
  };
  report([
    { name: 'node', status: 'ok', says: `Node ${process.version} on ${process.platform}-${process.arch}` },
  ]);
  const config = await settings(env, report);
  if (config) {
    report(await checkDisk(config));
    report(checkPrograms(config));
    report(await checkSandbox(config));
    report(await checkDatabase(config));
    report([model(config, env)]);
    report(await checkPort(config));
    report(await checkFolders(config));
  }
  const named = url ?? env.CONTINUO_URL;
  const address = named || serverUrl({ ...env, ...(config && addressOf(config)) });
  report(await checkServer({ url: address, apiKey: env.CONTINUO_API_KEY, expected: Boolean(named) }));

  const ok = checks.every(({ status }) => status !== 'bad');
  if (json) printJson({ ok, checks });
  else note(ok ? 'No problems found.' : red('Problems found; the lines above say how to fix them.'));
  process.exitCode = ok ? EXIT.ok : EXIT.failed;
}

async function settings(env: NodeJS.ProcessEnv, report: (checks: Check[]) => void): Promise<Config | null> {
  try {
    const config = await loadConfig({ env, cwd: process.cwd(), modelProblem: problemWithModel(env) });
    report([{ name: 'settings', status: 'ok', says: `valid; the data folder is ${config.home}` }]);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    report(
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
    return { name: 'model', status: 'ok', says: `${id} answers; its key is set but was not tested` };
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

function lineOf({ name, status, says, mend }: Check): string {
  const mark = { ok: green('✓'), warn: yellow('!'), bad: red('✗') }[status];
  return `${mark} ${name.padEnd(9)} ${safe(says)}${mend === undefined ? '' : `\n            ${dim(mend)}`}`;
}
