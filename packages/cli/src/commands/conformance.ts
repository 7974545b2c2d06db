// Checks an executor, in whatever language it is written, against the protocol. Needs no server.

import { CHECKS, type Check } from '../conformance/checks.ts';
import { MockServer } from '../conformance/mock-server.ts';
import { Program } from '../conformance/program.ts';
import { usageError } from '../failure.ts';
import { bold, dim, green, note, plural, print, printJson, red, safe, yellow } from '../output.ts';

export interface ConformanceOptions {
  readonly json?: boolean;
  readonly executor: string;
  readonly message: string;
  readonly tool: readonly string[];
  readonly patience: number;
  readonly port: number;
  readonly only?: readonly string[];
}

interface Result {
  readonly check: string;
  readonly says: string;
  readonly result: 'ok' | 'failed' | 'skipped';
  readonly why?: string;
}

export async function conformance(command: readonly string[], options: ConformanceOptions): Promise<void> {
  const { executor, json = false, patience, message, tool: tools, port } = options;
  const checks = chosen(options.only);
  const server = new MockServer(executor);
  await server.open(port);
  const env = { CONTINUO_URL: server.url, CONTINUO_API_KEY: server.key, CONTINUO_EXECUTOR: executor };
  const program = command.length > 0 ? new Program(command, env) : null;
  if (!program) {
    note('Start your executor with these settings:');
    for (const [name, value] of Object.entries(env)) note(`  ${name}=${value}`);
  }
  const scene = { server, message, tools, patienceSeconds: patience };
  const results: Result[] = [];
  try {
    program?.start();
    for (const check of checks) {
      const result = await runCheck(check, () => check.run(scene, program), {
        isAbsent: results[0]?.check === 'claim' && results[0].result === 'failed',
        hasProgram: program !== null,
      });
      results.push(result);
      if (!json) print(lineOf(result));
      // Leftovers of a failed check must not affect the next one.
      server.clear();
    }
  } finally {
    await program?.kill();
    await server.close();
  }
  report(results, json);
}

function chosen(only: readonly string[] | undefined): readonly Check[] {
  const unknown = only?.find((id) => CHECKS.every((check) => check.id !== id));
  if (unknown !== undefined)
    throw usageError(`There is no check ${unknown}.`, `They are ${CHECKS.map(({ id }) => id).join(', ')}.`);
  return only ? CHECKS.filter(({ id }) => only.includes(id)) : CHECKS;
}

async function runCheck(
  { id, says, needsProgram }: Check,
  run: () => Promise<void>,
  { isAbsent, hasProgram }: { readonly isAbsent: boolean; readonly hasProgram: boolean },
): Promise<Result> {
  const result = { check: id, says };
  if (isAbsent && id !== 'valid') return { ...result, result: 'skipped', why: 'It does not claim.' };
  if (needsProgram && !hasProgram)
    return { ...result, result: 'skipped', why: 'The suite must start the program: give its command.' };
  try {
    await run();
    return { ...result, result: 'ok' };
  } catch (error) {
    return { ...result, result: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

function lineOf({ check, says, result, why }: Result): string {
  const mark = { ok: green('ok     '), failed: red('FAILED '), skipped: yellow('skipped') }[result];
  const line = `${mark} ${says} ${dim(check)}`;
  return why === undefined ? line : `${line}\n${safe(why).replaceAll(/^/gm, '        ')}`;
}

function report(results: readonly Result[], json: boolean): void {
  const count = (wanted: Result['result']) => results.filter(({ result }) => result === wanted).length;
  const failed = count('failed');
  if (failed > 0) process.exitCode = 1;
  if (json) return printJson({ conforms: failed === 0, results });
  const skipped = count('skipped');
  print(
    bold(
      `${count('ok')} of ${plural(results.length, 'check')} passed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    ),
  );
}
