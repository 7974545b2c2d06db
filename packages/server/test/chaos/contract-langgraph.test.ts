import { wholeContractBehind } from './support/whole-contract.ts';

wholeContractBehind('langgraph', 'a LangGraph graph');
