import { contractBehind } from './contract-behind.ts';

contractBehind('langgraph', 'a LangGraph graph');
