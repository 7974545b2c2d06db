// A browser for tests. A file that imports this entry makes sure that there is one, and installs it where that can be done.

export { violations } from './axe.ts';
export { chromiumPath, WITHOUT } from './chromium.ts';
