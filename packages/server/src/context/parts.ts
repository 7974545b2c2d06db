// The parts of a request that come from a pack: the layers of the system prompt, and the pack's data. Stable parts come first. Pure.

import type { Agent } from '../agents/agent.ts';
import type { Guide } from '../agents/read-roles.ts';
import type { BundleEntity, BundleLink } from './bundle.ts';
import type { LayerName, Layers } from './layers.ts';
import type { ModeDecision } from './mode.ts';
import { pathOf, type ScopePack } from './pack.ts';
import type { ContextPart } from './request.ts';
import type { DocumentBeginning, LoadedDocument, RetrievalIndex } from './retrieval.ts';

/** Maximum characters of an entity's details. Its whole is one call away. */
const ENTITY_CHARACTERS = 16_000;

/** The parts that every request begins with. */
export function instructionParts(
  layers: Layers,
  { role, preamble, roleFile, guide, teamFiles }: Agent,
): readonly ContextPart[] {
  const told = [...(guide ? [guide] : []), ...teamFiles];
  return [
    layerPart(layers, 'base', 'base'),
    roleFile
      ? { kind: 'role', text: preamble, source: { kind: 'file', ...roleFile } }
      : textPart('role', preamble, `role ${role}`),
    ...told.map((file): ContextPart => {
      const { id, version, path } = file;
      return { kind: 'guide', text: guideText(file), source: { kind: 'file', id, version, path } };
    }),
  ];
}

export function guideText({ path, text }: Guide): string {
  return `${path}, which people edit and you keep to, says:\n\n${text}`;
}

/** The parts of a scope, in the order of how often they change. */
export function scopeParts(layers: Layers, pack: ScopePack): readonly ContextPart[] {
  const { scope, data, focus, versions } = pack;
  if (scope === 'global') {
    if (data.projectSummary === undefined) return [];
    const text = `Projects, the latest changed first:\n${data.projectSummary}`;
    return [layerPart(layers, 'scope-global', 'scope'), textPart('project', text, 'projects')];
  }
  const project = { kind: 'entity', id: focus.projectId!, version: versions.project! } as const;
  const parts: ContextPart[] = [
    layerPart(layers, scope === 'entity' ? 'scope-entity' : 'scope-project', 'scope'),
    layerPart(layers, 'documents', 'documents'),
    layerPart(layers, 'tools', 'tools'),
    layerPart(layers, 'verification', 'verification'),
    {
      kind: 'structure',
      text: `doc_structure: ${JSON.stringify(data.docStructure)}`,
      source: { kind: 'structure', id: focus.projectId!, version: versions.structure! },
    },
    { kind: 'project', text: data.projectSummary!, source: project },
  ];
  if (data.entityDetails) parts.push(entityPart(pack));
  return parts;
}

function entityPart({ data, focus, versions }: ScopePack): ContextPart {
  const { edges: _, ...details } = data.entityDetails!;
  const text = [
    `The ${focus.entityType!.replaceAll('_', ' ')} in focus: ${JSON.stringify(details).slice(0, ENTITY_CHARACTERS)}`,
    ...(data.documentPath ? [`Its path in doc_structure: ${data.documentPath.join(' / ')}`] : []),
    ...(data.linkedEntities!.length > 0
      ? [`It is linked to:\n${data.linkedEntities!.map(linkLine).join('\n')}`]
      : []),
  ].join('\n');
  return {
    kind: 'entity',
    text,
    source: { kind: 'entity', id: focus.entityId!, version: versions.entity! },
  };
}

function linkLine(link: BundleLink): string {
  return `- ${link.outgoing ? `it ${link.rel}` : `${link.rel} it:`} ${entityLine(link)}`;
}

function entityLine({ id, kind, title, state, version }: BundleEntity): string {
  const about = state === null ? '' : `, ${state.replaceAll('_', ' ')}`;
  return `${kind.replaceAll('_', ' ')} ${title}${about} (id ${id}, version ${version})`;
}

/** What the mode of the turn means. */
export function modePart(layers: Layers, { mode, by }: ModeDecision): ContextPart {
  const part = layerPart(layers, `mode-${mode}`, 'mode');
  return by === 'default' ? { ...part, text: `${part.text} ${layers['mode-undecided']}` } : part;
}

/** What changed last in the project; null if nothing did. */
export function activityPart({ data }: ScopePack): ContextPart | null {
  if (!data.recentActivity?.length) return null;
  const lines = data.recentActivity.map((each) => `- ${entityLine(each)}`);
  return textPart('activity', `Changed last in the project:\n${lines.join('\n')}`, 'recent activity');
}

/** A document that was loaded for the turn. */
export function documentPart(
  index: RetrievalIndex,
  { document: { id, version, path }, ...beginning }: LoadedDocument,
): ContextPart {
  const titles = pathOf(index, id);
  return {
    kind: 'document',
    text: documentText({ id, titles, ...beginning }),
    source: { kind: 'file', id, version, path },
    titles,
  };
}

interface ShownDocument extends DocumentBeginning {
  readonly id: string;
  /** The titles from the root of the structure to the document. */
  readonly titles: readonly string[];
}

export function documentText({ id, titles, text, bytesLeftOut }: ShownDocument): string {
  const rest = bytesLeftOut > 0 ? `\n(${bytesLeftOut} more bytes; get_onto_document_details reads them)` : '';
  const head = `The document ${titles.join(' / ')} (id ${id}), which the message may be about:`;
  return `${head}\n<document>\n${text}\n</document>${rest}`;
}

function layerPart(layers: Layers, name: LayerName, kind: ContextPart['kind']): ContextPart {
  return textPart(kind, layers[name], `prompts/${name}.md`);
}

function textPart(kind: ContextPart['kind'], text: string, name: string): ContextPart {
  return { kind, text, source: { kind: 'text', name } };
}
