// The floor: fetches the model's stream and parses it, with nothing in between and nobody to serve. Counted.

import { now } from '../measure/clock.ts';
import { wholeText } from '../load/text.ts';
import { answer } from './answer.ts';

interface Order {
  readonly model: string;
  readonly tokens: number;
  readonly runs: number;
  readonly concurrency: number;
  readonly seconds: number;
}

const url = `${process.env.OPENAI_BASE_URL}/chat/completions`;

answer(null, {
  drive: async ({ model, tokens, runs, concurrency, seconds }: Order) => {
    const expected = wholeText(tokens);
    const signal = AbortSignal.timeout(seconds * 1000);
    const began = now();
    let [begun, completed] = [0, 0];
    const worker = async () => {
      while (begun < runs && !signal.aborted) {
        begun += 1;
        if ((await run(model)) !== expected) throw new Error('the text is not what the model said');
        completed += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return { completed, seconds: (now() - began) / 1000 };
  },
});

async function run(model: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hello' }] }),
  });
  const decoder = new TextDecoder();
  let [text, rest] = ['', ''];
  for await (const chunk of response.body!) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const part = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
      text += part.choices[0]?.delta.content ?? '';
    }
  }
  return text;
}
