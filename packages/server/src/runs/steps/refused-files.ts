// Files that a provider refuses. The run fails with an explanation, the log records the files, and later runs of the same model
// are shown only their names. Providers do not say which file they refuse. So the suspects are the files that this model has
// not answered about yet; among these, the files of the kind (image or PDF) that the refusal mentions.

import type { AttachedFile, EventData, ImageReference } from '@continuo/protocol';
import { readFile } from '../../files/files.ts';
import type { RunState, ThreadState } from '../../threads/fold.ts';
import { shownFiles } from '../../context/attachments.ts';
import type { StepContext } from './step.ts';

type Shown = ReturnType<typeof shownFiles>[number];

/** The files that this model's provider has refused so far. */
function refusedBy(model: string, { refused }: Pick<ThreadState, 'refused'>): ThreadState['refused'] {
  return refused.filter((each) => each.model === model);
}

export async function withRefusedFiles(
  { options, workspaceId, agent, history, refused }: StepContext,
  run: RunState,
  failure: EventData['error'],
): Promise<EventData['error']> {
  const model = agent.model.id;
  const shown = shownFiles(history, run.id, refusedBy(model, { refused }));
  const files = suspected(shown, history, model, failure.error);
  if (files.length === 0) return failure;
  const names = await Promise.all(
    files.map(async (file) => {
      const path = 'path' in file ? file.path : (await readFile(options.pool, workspaceId, file.file))?.path;
      return `${path ?? file.file}, version ${file.v}`;
    }),
  );
  const one = names.length === 1;
  const error =
    `${failure.error.replace(/\.$/, '')}. The file is ${one ? '' : 'one of '}${names.join('; ')}: ` +
    `later messages leave out ${one ? 'its content, and the model sees only its name' : 'their content, and the model sees only their names'}. ` +
    `Attach ${one ? 'it' : 'them'} in another format, or use another model.`;
  return { ...failure, error, refused: { model, files: files.map(({ file, v }) => ({ file, v })) } };
}

function suspected(
  shown: readonly Shown[],
  history: ThreadState['history'],
  model: string,
  said: string,
): readonly (AttachedFile | ImageReference)[] {
  const answered = history.findLastIndex(({ entry }) => entry.role === 'assistant' && entry.model === model);
  const unanswered = shown.filter(({ at }) => at > answered);
  const suspects = unanswered.length > 0 ? unanswered : shown;
  const isImage = ({ file }: Shown) => file.media_type.startsWith('image/');
  const ofImages = /image|vision/i.test(said);
  const ofPdfs = /\b(pdfs?|documents?)\b/i.test(said);
  const ofKind = suspects.filter((each) => (isImage(each) ? ofImages : ofPdfs));
  const found = (ofKind.length > 0 ? ofKind : suspects).map(({ file }) => file);
  return [...new Map(found.map((file) => [`${file.file} ${file.v}`, file])).values()];
}
