// A unified diff of two texts. Loaded on demand.

import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { piecesOf } from './hidden-characters.ts';

const THEME = EditorView.theme({
  '&': { fontSize: '0.8125rem', backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', maxHeight: '22rem' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--soft)', border: 'none' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-wash)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-wash)', color: 'var(--bad)' },
  '.cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'color-mix(in oklab, var(--good) 20%, transparent)',
  },
  // The text is as dark as its mark needs for contrast.
  '.cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in oklab, var(--bad) 20%, transparent)',
    color: 'var(--ink)',
  },
  // Nothing was there, not an empty line.
  '&.new-text .cm-deletedChunk': { display: 'none' },
  '.cm-collapsedLines': { background: 'var(--hover)', color: 'var(--soft)' },
});

/** Names hidden characters in the text itself, because CodeMirror draws deleted lines without our decorations. */
function plain(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.hidden ? `‹${piece.text}›` : piece.text))
    .join('');
}

export default function MergeView({ before, after }: { readonly before: string; readonly after: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A newline at the end of both texts would show as an empty last line.
    const cut = after.endsWith('\n') && (before === '' || before.endsWith('\n')) ? /\n$/ : '';
    const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
    const view = new EditorView({
      parent: place.current!,
      doc: plain(after.replace(cut, '')),
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ 'aria-label': 'Proposed changes', tabindex: '0' }),
        EditorView.lineWrapping,
        lineNumbers(),
        unifiedMergeView({
          original: plain(before.replace(cut, '')),
          mergeControls: false,
          highlightChanges: before !== '',
          collapseUnchanged: { margin: 3, minSize: 6 },
        }),
        THEME,
        before === '' ? EditorView.editorAttributes.of({ class: 'new-text' }) : [],
      ],
    });
    return () => view.destroy();
  }, [before, after]);
  return <div ref={place} className="overflow-hidden rounded-lg border" />;
}
