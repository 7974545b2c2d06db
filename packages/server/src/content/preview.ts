// Preview links: an address that shows one draft, or one file that a draft shows, to anybody who has it, until it expires. Nothing
// is stored: the address is signed.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ShownFile } from './draft.ts';

const PREVIEW_DAYS = 7;

/** What a link shows: `type, slug` of a piece, or `assets, id, version` of a file; no type is called assets. */
export interface Previewed {
  readonly workspaceId: string;
  readonly names: readonly string[];
}

export function previewToken(secret: string, previewed: Previewed, now: number): string {
  const expires = Math.floor(now / 1000) + PREVIEW_DAYS * 86_400;
  return `${expires}.${signature(secret, previewed, expires)}`;
}

export function isPreviewToken(secret: string, previewed: Previewed, token: string, now: number): boolean {
  const match = /^(\d{1,12})\.([\w-]{43})$/.exec(token);
  if (!match || Number(match[1]) * 1000 < now) return false;
  const wanted = signature(secret, previewed, Number(match[1]));
  return timingSafeEqual(Buffer.from(match[2]!), Buffer.from(wanted));
}

export const previewedFile = (workspaceId: string, id: string, version: number): Previewed => ({
  workspaceId,
  names: ['assets', id, String(version)],
});

/** The addresses of the files that a draft shows, with a token for each: they are not public yet. */
export function withPreviews<
  T extends { readonly html: string; readonly fields: Readonly<Record<string, unknown>> },
>(draft: T, shown: readonly ShownFile[], tokenFor: (file: ShownFile) => string): T {
  let { html } = draft;
  const addresses = new Map<unknown, string>();
  for (const file of shown) {
    const token = tokenFor(file);
    html = html.replaceAll(`"${file.address}"`, `"${file.address}&#x26;preview=${token}"`);
    addresses.set(file.address, `${file.address}&preview=${token}`);
  }
  const fields = Object.fromEntries(
    Object.entries(draft.fields).map(([name, value]) => [name, addresses.get(value) ?? value]),
  );
  return { ...draft, html, fields };
}

function signature(secret: string, { workspaceId, names }: Previewed, expires: number): string {
  const text = JSON.stringify(['continuo preview', workspaceId, ...names, expires]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}
