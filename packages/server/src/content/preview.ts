// Preview links: an address that shows one draft to anybody who has it, until it expires. Nothing is stored: the address is signed.

import { createHmac, timingSafeEqual } from 'node:crypto';

const PREVIEW_DAYS = 7;

interface Piece {
  readonly workspaceId: string;
  readonly type: string;
  readonly slug: string;
}

export function previewToken(secret: string, piece: Piece, now: number): string {
  const expires = Math.floor(now / 1000) + PREVIEW_DAYS * 86_400;
  return `${expires}.${signature(secret, piece, expires)}`;
}

export function isPreviewToken(secret: string, piece: Piece, token: string, now: number): boolean {
  const match = /^(\d{1,12})\.([\w-]{43})$/.exec(token);
  if (!match || Number(match[1]) * 1000 < now) return false;
  const wanted = signature(secret, piece, Number(match[1]));
  return timingSafeEqual(Buffer.from(match[2]!), Buffer.from(wanted));
}

function signature(secret: string, { workspaceId, type, slug }: Piece, expires: number): string {
  const text = JSON.stringify(['continuo preview', workspaceId, type, slug, expires]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}
