export function docsRoute(_app: unknown): void {}
