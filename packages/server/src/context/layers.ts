// The layers of the system prompt, each in a file of its own in prompts/, in the order in which they are sent.

import { readFile } from 'node:fs/promises';

const NAMES = [
  'base',
  'scope-global',
  'scope-project',
  'scope-entity',
  'documents',
  'tools',
  'verification',
  'mode-clarify',
  'mode-inform',
  'mode-act',
  'mode-undecided',
] as const;

export type LayerName = (typeof NAMES)[number];
export type Layers = Readonly<Record<LayerName, string>>;

export async function loadLayers(): Promise<Layers> {
  const texts = NAMES.map(async (name) => {
    const text = await readFile(new URL(`./prompts/${name}.md`, import.meta.url), 'utf8');
    return [name, text.trim()] as const;
  });
  return Object.fromEntries(await Promise.all(texts)) as Layers;
}
