#!/usr/bin/env node
// npm create continuo <folder> [-- --template chat|worker]: copies a template into a new folder. It installs nothing, asks
// nothing, and writes nothing outside of that folder.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const TEMPLATES = {
  chat: 'a web page with a chat (React, Vite)',
  worker: 'a program that writes the answers of runs (Node)',
};
/** What the templates import of ours has the version of this package. */
const OURS = '@continuo/client';

const list = Object.entries(TEMPLATES).map(([name, about]) => `  ${name.padEnd(8)}${about}`);
const USAGE = `Usage: npm create continuo <folder> [-- --template <name>]

Templates:
${list.join('\n')}

The default is chat.`;

function main() {
  const { values, positionals } = read();
  if (values.help) return console.log(USAGE);
  const template = values.template;
  if (!Object.hasOwn(TEMPLATES, template))
    return refuse(
      `There is no template ${JSON.stringify(template)}; there are: ${Object.keys(TEMPLATES).join(', ')}.`,
    );
  const [given, ...others] = positionals;
  if (given === undefined || given.trim() === '' || others.length > 0)
    return refuse(`Name one folder, such as my-${template}.`);
  const folder = resolve(given);
  if (existsSync(folder) && !isEmptyFolder(folder))
    return refuse(`${folder} already exists and is not an empty folder. Name another one.`);
  copy(template, folder);
  const shown = relative(process.cwd(), folder) || '.';
  console.log(`Created ${shown} from the template ${template}: ${TEMPLATES[template]}. Next:

  cd ${/\s/.test(shown) ? JSON.stringify(shown) : shown}
  npm install
  npm run ${template === 'chat' ? 'dev' : 'start'}

It talks to a server at http://127.0.0.1:4400, which \`npx continuo\` starts in another terminal. README.md has the rest.`);
}

function read() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't', default: 'chat' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    refuse(error.message);
    process.exit();
  }
}

function refuse(message) {
  console.error(`${message}\n\n${USAGE}`);
  process.exitCode = 2;
}

function isEmptyFolder(path) {
  try {
    return readdirSync(path).length === 0;
  } catch {
    // It is a file.
    return false;
  }
}

function copy(template, folder) {
  mkdirSync(folder, { recursive: true });
  cpSync(join(import.meta.dirname, 'templates', template), folder, { recursive: true });
  // npm packs no file of this name.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
  manifest.name = packageName(basename(folder));
  manifest.dependencies[OURS] = version;
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** A name that npm accepts. */
function packageName(folder) {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '');
  return name || 'continuo-app';
}

main();
