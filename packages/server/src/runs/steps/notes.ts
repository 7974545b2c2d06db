// What a call reports besides its output: sources, file versions and images.

import type { ImageReference } from '@continuo/protocol';
import type { CallContext } from '../../tools/tool.ts';

export interface Notes {
  readonly collected: {
    readonly sources: ReadonlySet<string>;
    readonly versions: ReadonlyMap<string, number>;
    readonly images: readonly ImageReference[];
  };
  readonly context: Pick<CallContext, 'used' | 'learned' | 'show'>;
}

export function takeNotes(before?: Notes): Notes {
  const sources = new Set(before?.collected.sources);
  const versions = new Map(before?.collected.versions);
  const images = [...(before?.collected.images ?? [])];
  return {
    collected: { sources, versions, images },
    context: {
      used: (fileId) => void sources.add(fileId),
      learned: (fileId, version) => void versions.set(fileId, version),
      show: (image) => void images.push(image),
    },
  };
}
