// The text editor, loaded on demand. Tab leaves it, as everywhere on the page.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap } from '@codemirror/view';
import { useEffect, useRef, type RefObject } from 'react';
import { takeOverFocus } from '../ui/focus.ts';
import { languageOf } from './languages.ts';
import { editorTheme } from './editor-theme.ts';

interface EditorProps {
  readonly path: string;
  readonly text: string;
  readonly label: string;
  readonly readOnly?: boolean;
  readonly change?: (text: string) => void;
  readonly save?: () => void;
  /** The editor state, shared with the comparison, so that the cursor is kept between the two. */
  readonly cursor?: RefObject<EditorState | null>;
}

export default function Editor(props: EditorProps) {
  const { path, text, label, readOnly = false } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const language = new Compartment();
    const { cursor } = latest.current;
    const before = cursor?.current;
    const made = new EditorView({
      parent: place.current!,
      doc: before?.doc ?? latest.current.text,
      ...(before && { selection: before.selection.main }),
      extensions: [
        editorTheme(),
        language.of([]),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        readOnly
          ? [
              EditorState.readOnly.of(true),
              EditorView.editable.of(false),
              EditorView.contentAttributes.of({ tabindex: '0' }),
            ]
          : [
              history(),
              drawSelection(),
              bracketMatching(),
              highlightActiveLine(),
              keymap.of([
                { key: 'Mod-s', preventDefault: true, run: () => (latest.current.save?.(), true) },
                ...defaultKeymap,
                ...historyKeymap,
              ]),
              EditorView.updateListener.of(({ docChanged, state, transactions }) => {
                if (cursor) cursor.current = state;
                if (docChanged && !transactions.some((one) => one.isUserEvent('sync')))
                  latest.current.change?.(state.doc.toString());
              }),
            ],
      ],
    });
    view.current = made;
    // Text saved in the meantime moves the cursor along.
    put(made, latest.current.text);
    if (before) takeOverFocus(made.contentDOM);
    let gone = false;
    void languageOf(path).then((extension) => {
      if (!gone) made.dispatch({ effects: language.reconfigure(extension) });
    });
    return () => {
      gone = true;
      made.destroy();
    };
  }, [path, label, readOnly]);
  useEffect(() => {
    if (view.current) put(view.current, text);
  }, [text]);
  return <div ref={place} className="h-full min-h-0 overflow-hidden" />;
}

/** Changes only the differing range, so that the cursor keeps its place. */
function put(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old === text) return;
  const most = Math.min(old.length, text.length);
  let start = 0;
  while (start < most && old[start] === text[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === text.at(-1 - end)) end += 1;
  view.dispatch({
    changes: { from: start, to: old.length - end, insert: text.slice(start, text.length - end) },
    userEvent: 'sync',
  });
}
