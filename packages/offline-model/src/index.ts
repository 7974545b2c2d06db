// The models that need no key. `createOfflineModel` creates each of `OFFLINE_MODELS`.

export { createOfflineModel, OFFLINE_MODELS, type OfflineModel } from './models.ts';
export type { HistoryMessage, ModelRequest, ToolSchema } from './request.ts';
export type { OfflineWorld } from './step.ts';
