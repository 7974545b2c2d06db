// The tools with which agents check and publish content. The default policy asks a person before anything is published.

import { z } from 'zod';
import type { Pool } from '../db/pool.ts';
import type { Bus } from '../bus/bus.ts';
import type { AnyTool } from '../tools/registry.ts';
import { ToolFailure, type Tool } from '../tools/tool.ts';
import { CONTENT_FOLDER } from './content-type.ts';
import { readDraft, Unpublishable, type Draft } from './draft.ts';
import { publish, unpublish } from './publishing.ts';
import { announcePublication } from './topics.ts';

export interface ContentToolWorld {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly quotaBytes: number;
}

const input = z.strictObject({
  type: z.string().describe('The content type, which is its folder in /content, such as articles'),
  slug: z.string().describe('The name of the file without .md'),
});
type Input = z.infer<typeof input>;
const publishInput = input.extend({
  version: z
    .int()
    .min(1)
    .describe('The version of the file to publish, as check_content names it: exactly this one is approved'),
});
type PublishInput = z.infer<typeof publishInput>;

const pathOf = ({ type, slug }: Input) => `${CONTENT_FOLDER}/${type}/${slug}.md`;

export function createContentTools(world: ContentToolWorld): readonly AnyTool[] {
  return [checkTool(world), publishTool(world), unpublishTool(world)];
}

function checkTool({ pool }: ContentToolWorld): Tool<Input> {
  return {
    name: 'check_content',
    description: 'Says whether a piece of content can be published: front matter, references and links.',
    effect: 'pure',
    onlyListed: true,
    input,
    words: (given) => `Checks ${pathOf(given)}`,
    paths: (given) => [pathOf(given)],
    run: async (given, { workspaceId }) => {
      const { file, problems, warnings } = await asFailure(readDraft({ client: pool, workspaceId }, given));
      const listed = (all: typeof problems) => all.map(({ sentence }) => `\n- ${sentence}`).join('');
      const text =
        problems.length === 0
          ? `${file.path}, version ${file.version}, can be published${listed(warnings)}`
          : `${file.path} cannot be published yet:${listed([...problems, ...warnings])}`;
      return { version: file.version, problems, warnings, text };
    },
  };
}

function publishTool({ pool, bus, quotaBytes }: ContentToolWorld): Tool<PublishInput, Draft> {
  return {
    name: 'publish_content',
    description: 'Publishes a version of a file in /content, for everybody who reads the site.',
    effect: 'transactional',
    onlyListed: true,
    input: publishInput,
    words: (given) => `Publishes ${pathOf(given)}, version ${given.version}`,
    paths: (given) => [pathOf(given)],
    prepare: (given, { workspaceId }) => asFailure(readDraft({ client: pool, workspaceId }, given)),
    run: async (given, context) => {
      const { sql: client, workspaceId, runId: run, callId: call, principal } = context;
      const by = { kind: 'run', run, call, principal };
      const { version } = await asFailure(publish({ client, workspaceId, by, quotaBytes }, context.prepared));
      context.afterCommit(async () => announcePublication(bus, workspaceId));
      return { ...given, version, text: `${pathOf(given)} is published, version ${version}` };
    },
  };
}

function unpublishTool({ bus }: ContentToolWorld): Tool<Input> {
  return {
    name: 'unpublish_content',
    description: 'Takes a published piece of content off the site. Its file stays.',
    effect: 'transactional',
    onlyListed: true,
    input,
    words: (given) => `Unpublishes ${given.type}/${given.slug}`,
    paths: (given) => [pathOf(given)],
    run: async (given, context) => {
      const { sql: client, workspaceId } = context;
      if (!(await unpublish({ client, workspaceId }, given.type, given.slug)))
        throw new ToolFailure(`${given.type}/${given.slug} is not published`);
      context.afterCommit(async () => announcePublication(bus, workspaceId));
      return { ...given, text: `${given.type}/${given.slug} is no longer published` };
    },
  };
}

async function asFailure<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof Unpublishable ? new ToolFailure(error.message) : error;
  });
}
