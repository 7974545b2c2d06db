// An executor of the example's `graphAnswer`. Its graph is that of the usual LangGraph agent: a chat model, and a node that makes the
// calls of its message at the same time.

import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ToolCall, ToolCallChunk } from '@langchain/core/messages/tool';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import {
  END,
  interrupt,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';
import type { ExecutorEvent, Task, ToolResult } from '@continuo/client/worker';
import { graphAnswer, type Wanted } from '../../../../examples/langgraph/graph-answer.ts';
import { play, work } from '../script-executor.ts';

/** Text and calls become chunks of the model's message; what LangChain has no place for is written to the graph's stream. */
class ScriptModel extends BaseChatModel {
  readonly #task: Task;
  readonly #write: (event: ExecutorEvent) => void;

  constructor({ configurable, writer }: LangGraphRunnableConfig) {
    super({});
    this.#task = configurable!.task as Task;
    this.#write = writer!;
  }

  override _llmType(): string {
    return 'script';
  }

  override async *_streamResponseChunks(
    _messages: readonly BaseMessage[],
    _options: unknown,
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    let calls = 0;
    for await (const event of play(this.#task)) {
      let content = '';
      const made: ToolCallChunk[] = [];
      if (event.type === 'tool_call') {
        const { call: id, tool: name, input } = event;
        made.push({ type: 'tool_call_chunk', id: id!, name, args: JSON.stringify(input), index: calls });
        calls += 1;
      } else if (event.type === 'text' && event.text !== '') content = event.text;
      else this.#write(event);
      const message = new AIMessageChunk({ content, tool_call_chunks: made });
      const chunk = new ChatGenerationChunk({ message, text: content });
      yield chunk;
      await runManager?.handleLLMNewToken(content, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  override _generate(): Promise<ChatResult> {
    throw new Error('The model only streams.');
  }
}

type State = typeof MessagesAnnotation.State;

async function model({ messages }: State, config: LangGraphRunnableConfig): Promise<Partial<State>> {
  return { messages: [await new ScriptModel(config).invoke(messages, config)] };
}

function call({ id, name, args }: ToolCall): Partial<State> {
  const { output } = interrupt<Wanted, ToolResult>({ tool: name, input: args, call: id });
  return { messages: [new ToolMessage({ tool_call_id: id!, content: JSON.stringify(output) })] };
}

function callsOf({ messages }: State): Send[] | typeof END {
  const { tool_calls: calls = [] } = messages.at(-1) as AIMessageChunk;
  return calls.length > 0 ? calls.map((each) => new Send('call', each)) : END;
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', model)
  .addNode('call', call)
  .addEdge(START, 'model')
  .addConditionalEdges('model', callsOf, ['call', END])
  .addEdge('call', 'model');

await work(graphAnswer(graph, () => ({ messages: [] })));
