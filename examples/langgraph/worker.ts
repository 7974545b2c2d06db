// A LangGraph graph as an executor: an editor that reads two files at once, drafts a newsletter, asks a person, and writes a file.
//
//   npm start, and in another terminal:
//   CONTINUO_API_KEY=... node examples/langgraph/worker.ts
//
//   curl -s localhost:4400/api/threads/$THREAD/messages -H 'content-type: application/json' \
//     -d '{"content": "Write the newsletter", "model": "executor/editor"}'
//
// No model is needed: put yours into a node, and what it streams is the answer's text.

import {
  Annotation,
  END,
  interrupt,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';
import { runWorker, type ToolResult } from '@continuo/client/worker';
import { graphAnswer, type Wanted } from './graph-answer.ts';

const { CONTINUO_URL, CONTINUO_API_KEY, CONTINUO_EXECUTOR, EDITOR_PAUSE = '0' } = process.env;

const State = Annotation.Root({
  wish: Annotation<string>,
  ideas: Annotation<string>,
  dates: Annotation<string>,
  draft: Annotation<string>,
  title: Annotation<string | null>,
});
type Values = typeof State.State;

/** Two of these run at the same time: the answer has two calls. */
const read = (what: 'ideas' | 'dates') => (): Partial<Values> => {
  const { output, failed } = interrupt<Wanted, ToolResult>({ tool: 'read', input: { path: `${what}.md` } });
  return { [what]: failed ? `no ${what}` : JSON.stringify(output).slice(0, 200) };
};

async function draft(values: Values, config: LangGraphRunnableConfig): Promise<Partial<Values>> {
  const { wish, ideas, dates } = values;
  const text = `You wished: ${wish}. I have read your ideas and your dates. `;
  for (const word of text.match(/\S+\s*/g) ?? []) {
    config.writer?.(word);
    await new Promise((resolve) => setTimeout(resolve, Number(EDITOR_PAUSE) * 1000));
  }
  return { draft: `- ${ideas}\n- ${dates}\n` };
}

const REVIEW = {
  type: 'object',
  properties: {
    title: { type: 'string', title: 'Title' },
    publish: { type: 'boolean', title: 'Publish it' },
  },
  required: ['title', 'publish'],
};

function review(): Partial<Values> {
  const answer = interrupt<Wanted, { title: string; publish: boolean } | null>({
    question: 'Shall this be published, and under which title?',
    schema: REVIEW,
  });
  return { title: answer?.publish ? answer.title : null };
}

function publish({ title, draft: text }: Values, config: LangGraphRunnableConfig): Partial<Values> {
  if (title === null) {
    config.writer?.('It stays a draft.');
    return {};
  }
  const input = { path: 'newsletter.md', content: `# ${title}\n\n${text}` };
  const { failed } = interrupt<Wanted, ToolResult>({ tool: 'write', input });
  config.writer?.(failed ? 'It could not be written.' : `“${title}” is in newsletter.md.`);
  return {};
}

const graph = new StateGraph(State)
  .addNode('read_ideas', read('ideas'))
  .addNode('read_dates', read('dates'))
  .addNode('draft_text', draft)
  .addNode('ask_editor', review)
  .addNode('publish', publish)
  .addEdge(START, 'read_ideas')
  .addEdge(START, 'read_dates')
  .addEdge(['read_ideas', 'read_dates'], 'draft_text')
  .addEdge('draft_text', 'ask_editor')
  .addEdge('ask_editor', 'publish')
  .addEdge('publish', END);

await runWorker({
  baseUrl: CONTINUO_URL ?? 'http://127.0.0.1:4400',
  ...(CONTINUO_API_KEY && { apiKey: CONTINUO_API_KEY }),
  executor: CONTINUO_EXECUTOR ?? 'editor',
  by: 'LangGraph',
  concurrency: 4,
  answer: graphAnswer(graph, ({ history }) => {
    const said = history.findLast(({ role }) => role === 'user');
    return { wish: said?.role === 'user' ? said.content : '' };
  }),
});
