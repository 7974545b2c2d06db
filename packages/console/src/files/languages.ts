// The language of a file, by its extension. Each language is loaded when needed; other files are plain text.

import type { Extension } from '@codemirror/state';

const LANGUAGES: readonly [names: RegExp, load: () => Promise<Extension>][] = [
  [/\.(md|markdown|agent|plan)$/i, async () => (await import('@codemirror/lang-markdown')).markdown()],
  [/\.(json|jsonc|webmanifest)$/i, async () => (await import('@codemirror/lang-json')).json()],
  [
    /\.[cm]?[jt]sx?$/i,
    async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true, typescript: true }),
  ],
  [/\.py$/i, async () => (await import('@codemirror/lang-python')).python()],
];

export async function languageOf(path: string): Promise<Extension> {
  return (await LANGUAGES.find(([names]) => names.test(path))?.[1]()) ?? [];
}
