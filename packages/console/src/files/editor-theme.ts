// The theme of the editor and of comparisons, in the console's colours.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView, lineNumbers } from '@codemirror/view';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--page)', color: 'var(--ink)', fontSize: '0.8125rem', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.65' },
  '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--soft)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.25rem 0 0.75rem', minWidth: '2.5rem' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--hover) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in oklab, var(--accent) 28%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-wash)' },
  // Comparisons.
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-wash)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--good-wash)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-wash)', padding: '0 0.75rem' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in oklab, var(--bad) 22%, transparent)',
  },
  '&.cm-merge-b .cm-changedText': { background: 'color-mix(in oklab, var(--good) 22%, transparent)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--bad)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--good)' },
  '.cm-collapsedLines': {
    background: 'var(--panel)',
    color: 'var(--soft)',
    padding: '0.2rem 0.75rem',
    fontFamily: 'var(--font-sans)',
  },
  '.cm-mergeSpacer': { backgroundColor: 'var(--panel)' },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.tagName], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.monospace], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta, tags.quote, tags.processingInstruction], color: 'var(--soft)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

export function editorTheme(): Extension {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.lineWrapping,
    lineNumbers(),
    THEME,
    syntaxHighlighting(COLOURS),
  ];
}
