/**
 * Finds a user and a folder to run the Postgres programs with. They run from the npm package, unless the user that runs the
 * server cannot read them there (a project below a private folder) or the links cannot be made (a read-only folder): then they
 * run from a copy.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTo } from './copy.ts';
import { EmbeddedDatabaseError, OTHER_DATABASE, systemCode } from './errors.ts';
import { type Ending, type Identity, runAs } from './identity.ts';
import { completeLinks } from './links.ts';
import { othersCanEnter } from './reach.ts';

export interface Programs {
  readonly identity: Identity;
  readonly postgres: string;
  readonly initdb: string;
}

/** The first identity that can run the programs, and the folder to run them from. */
export async function usablePrograms(
  native: string,
  identities: readonly Identity[],
  home: string,
): Promise<Programs> {
  const linked = completeLinks(native);
  const failures: string[] = [];
  for (const identity of identities) {
    const places = [...(linked ? [() => native] : []), ...copyPlaces(native, identity, home)];
    for (const place of places) {
      const trial = await tryFrom(place, identity);
      if (trial.kind === 'works') return trial.programs;
      failures.push(trial.why);
      if (trial.kind === 'identity-refused') break;
    }
  }
  const refused = identities[0]?.kind !== 'self';
  throw new EmbeddedDatabaseError(
    refused ? 'cannot-drop-root' : 'binaries-unusable',
    `the Postgres programs in ${native} cannot be run${refused ? ' as a user other than root, and Postgres refuses root; start as an ordinary user,' : '; check that the folder is complete and executable,'} ${OTHER_DATABASE}. Tried: ${failures.join('; ')}`,
  );
}

type Trial =
  | { readonly kind: 'works'; readonly programs: Programs }
  | { readonly kind: 'fails'; readonly why: string }
  | { readonly kind: 'identity-refused'; readonly why: string };

async function tryFrom(place: () => string, identity: Identity): Promise<Trial> {
  let folder: string;
  try {
    folder = place();
  } catch (error) {
    return { kind: 'fails', why: String(error) };
  }
  const postgres = join(folder, 'bin', 'postgres');
  const ending = await runAs(identity, [postgres, '--version']);
  if (ending.kind === 'exited' && ending.code === 0) {
    return { kind: 'works', programs: { identity, postgres, initdb: join(folder, 'bin', 'initdb') } };
  }
  const kind = isRefusal(identity, ending) ? 'identity-refused' : 'fails';
  const why = ending.kind === 'exited' ? ending.output : ending.error.message;
  return { kind, why: `${postgres}: ${why}` };
}

/** Whether the program never started, because we may not run anything as that identity. */
function isRefusal(identity: Identity, ending: Ending): boolean {
  if (ending.kind === 'exited') return identity.kind === 'namespace' && /^unshare: /m.test(ending.output);
  const code = systemCode(ending.error);
  return identity.kind === 'namespace' || code === 'EPERM' || code === 'EINVAL';
}

/** Where to put a copy, best first. Each function returns the folder of a complete copy. */
function copyPlaces(native: string, identity: Identity, home: string): (() => string)[] {
  const version = packageVersion(native);
  const shared = `continuo-postgres-${version}-${process.geteuid?.()}`;
  const places = [
    { folder: home, name: `postgres-programs-${version}` },
    { folder: '/var/tmp', name: shared },
    { folder: tmpdir(), name: shared },
  ];
  return places
    .filter((place) => identity.kind !== 'user' || othersCanEnter(place.folder))
    .map((place) => () => copyTo(native, join(place.folder, place.name)));
}

function packageVersion(native: string): string {
  try {
    const text = readFileSync(join(native, '..', 'package.json'), 'utf8');
    return String((JSON.parse(text) as { version?: string }).version);
  } catch {
    return 'unknown';
  }
}
