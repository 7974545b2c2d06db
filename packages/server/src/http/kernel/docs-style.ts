// The stylesheet of GET /docs, inlined into the page.

export const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #dfe4ec); --soft: light-dark(#5c6675, #97a1b1);
  --page: light-dark(#fff, #12161d); --box: light-dark(#f5f7fa, #1a2029); --line: light-dark(#e2e7ee, #2a323e);
  --link: light-dark(#2157c9, #86aef9); --get: light-dark(#176b41, #63cf98); --post: light-dark(#2157c9, #86aef9);
  --put: light-dark(#8a5300, #e5b25d); --delete: light-dark(#b3261e, #f28b82); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
header { padding: 2rem 2rem 1.2rem; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.7rem; letter-spacing: -.02em; }
small, i, .media { color: var(--soft); font-style: normal; font-weight: 400; font-size: .85rem; }
header p { margin: .3rem 0 0; color: var(--soft); max-width: 46rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre, nav a { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .84rem; }
.columns { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; max-height: 100vh; overflow: auto; padding: .6rem 1.2rem 2rem 2rem; align-self: start; }
nav h3, h2 { text-transform: capitalize; }
nav h3 { margin: 1.2rem 0 .3rem; font-size: .85rem; color: var(--soft); }
nav a { display: block; padding: .15rem 0 .15rem 3.4rem; text-indent: -3.4rem; color: var(--ink); overflow-wrap: anywhere; }
nav a:not(:has(b)) { padding-left: 0; text-indent: 0; }
b { display: inline-block; font: 700 .7rem/1.5 ui-monospace, Menlo, Consolas, monospace; text-transform: uppercase; }
nav b { width: 3.4rem; text-indent: 0; }
.get, .s2 { color: var(--get); } .post { color: var(--post); } .put, .patch, .s4 { color: var(--put); } .delete, .s5 { color: var(--delete); }
main { padding: .4rem 2rem 6rem; border-left: 1px solid var(--line); max-width: 62rem; }
h2 { margin: 2rem 0 .8rem; font-size: 1.25rem; }
article { padding: 1.1rem 1.3rem; margin: 0 0 1.2rem; border: 1px solid var(--line); border-radius: 10px; }
article:target { border-color: var(--link); }
article h3 { margin: 0; font-size: 1rem; } article h3 a { color: inherit; overflow-wrap: anywhere; }
article h3 b { margin-right: .4rem; font-size: .8rem; } article h3 code { font-size: .95rem; }
article p { margin: .4rem 0; } .summary { font-weight: 600; }
h4 { margin: 1.1rem 0 .35rem; font-size: .85rem; color: var(--soft); }
pre { margin: .3rem 0; padding: .7rem .9rem; overflow-x: auto; background: var(--box); border-radius: 7px; line-height: 1.5; }
p code, dd code, dt > code:first-child { padding: .1em .35em; background: var(--box); border-radius: 4px; }
dl { margin: 0; } dt { margin-top: .35rem; } dd { margin: 0 0 0 .35rem; color: var(--soft); }
details, .answer { margin: .25rem 0; } summary { cursor: pointer; } summary b, .answer b { margin-right: .3rem; font-size: .84rem; }
.media { margin: .3rem 0 0; }
@media (max-width: 52rem) { .columns { display: block; } header, main { padding-inline: 1rem; } main { border: 0; }
  nav { position: static; max-height: none; padding: .2rem 1rem 1rem; border-bottom: 1px solid var(--line); } article { padding: .9rem; } }
`;
