import { wholeContractBehind } from './support/whole-contract.ts';

wholeContractBehind('script', 'an executor');
