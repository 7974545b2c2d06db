// Detects a successful answer that is not a stream: a web page, a whole document, a redirect, nothing. It comes from a wrong
// address, so a retry does not help.

/** How many characters of the answer the error quotes. */
const TOLD = 300;

export class AiSdkNotAStream extends Error {}

/** Wraps `fetch` to refuse such answers. An answer without a media type, or with plain text, may still be a stream. */
export function aiSdkStreamsOnly(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const { status, headers } = response;
    const type = headers.get('content-type');
    const isStream = response.ok && status !== 204 && !/html|json|xml/i.test(type ?? '');
    if (isStream || status >= 400) return response;
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    const location = headers.get('location');
    const what = [status, type, location && `Location: ${location}`].filter(Boolean).join(', ');
    const body = await beginningOf(response);
    throw new AiSdkNotAStream(`${origin}${pathname} answered ${what}${body && `: ${body}`}`);
  };
}

async function beginningOf({ body }: Response): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  // Leaving the loop closes the connection.
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= TOLD) break;
  }
  return text.slice(0, TOLD).replaceAll(/\s+/g, ' ').trim();
}
