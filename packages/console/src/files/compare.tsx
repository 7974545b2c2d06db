// Compares two texts, side by side or, on a narrow screen, as a unified diff. Loaded on demand. With `change`, the
// right side is editable and can copy single changes from the left.

import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { languageOf } from './languages.ts';
import { editorTheme } from './editor-theme.ts';

/** Below this width, the diff is unified. */
const BESIDE_PX = 560;
const COLLAPSE = { margin: 3, minSize: 6 };

export interface CompareProps {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
  readonly change?: (text: string) => void;
  /** The editor state of the right side, with its cursor. */
  readonly cursor?: RefObject<EditorState | null>;
}

export default function Compare(props: CompareProps) {
  const place = useRef<HTMLDivElement>(null);
  const [beside, setBeside] = useState<boolean | null>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setBeside(entry!.contentRect.width >= BESIDE_PX));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} className="flex h-full min-h-0 flex-col">
      {beside !== null && (
        <>
          <div className={`border-b bg-panel text-xs text-soft ${beside ? 'grid grid-cols-2' : 'flex'}`}>
            <p className="min-w-0 truncate px-3 py-1.5">
              <span aria-hidden="true">− </span>
              {props.beforeLabel}
            </p>
            <p className={`min-w-0 truncate px-3 py-1.5 ${beside ? 'border-l' : ''}`}>
              <span aria-hidden="true">+ </span>
              {props.afterLabel}
            </p>
          </div>
          <Texts key={String(beside)} beside={beside} {...props} />
        </>
      )}
    </div>
  );
}

function Texts({ beside, ...props }: CompareProps & { readonly beside: boolean }) {
  const { path, before, beforeLabel, afterLabel } = props;
  const editable = props.change !== undefined;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  // Edits come back as `after`: only a different text to compare creates the views again.
  const after = editable ? null : props.after;
  useEffect(() => {
    const language = new Compartment();
    const shared = [editorTheme(), language.of([])];
    const right = [...shared, editable ? writable(latest) : FIXED];
    const doc = latest.current.after;
    const views = beside
      ? sideBySide(place.current!, {
          a: { doc: before, extensions: [...shared, FIXED, named(beforeLabel)] },
          b: { doc, extensions: [...right, named(afterLabel)] },
          editable,
        })
      : asOne(place.current!, doc, [
          ...right,
          named(`${beforeLabel} and ${afterLabel}`),
          unifiedMergeView({ original: before, mergeControls: editable, collapseUnchanged: COLLAPSE }),
        ]);
    let gone = false;
    void languageOf(path).then((extension) => {
      if (!gone) for (const view of views.all) view.dispatch({ effects: language.reconfigure(extension) });
    });
    return () => {
      gone = true;
      views.destroy();
    };
  }, [path, before, after, beside, editable, beforeLabel, afterLabel]);
  return <div ref={place} className="min-h-0 flex-1 overflow-auto" data-beside={beside} />;
}

const FIXED: Extension = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ tabindex: '0' }),
];

function named(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label });
}

function writable(latest: RefObject<Pick<CompareProps, 'change' | 'cursor'>>): Extension {
  return [
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
      const { change, cursor } = latest.current;
      // Until the person edits here, the cursor stays where it was in the editor.
      if (cursor && (docChanged || selectionSet || cursor.current === null)) cursor.current = state;
      if (docChanged) change?.(state.doc.toString());
    }),
  ];
}

interface Views {
  readonly all: readonly EditorView[];
  destroy(): void;
}

type Side = { doc: string; extensions: Extension[] };

function sideBySide(parent: HTMLElement, { a, b, editable }: { a: Side; b: Side; editable: boolean }): Views {
  const view = new MergeView({
    parent,
    a,
    b,
    collapseUnchanged: COLLAPSE,
    ...(editable && { revertControls: 'a-to-b' as const, renderRevertControl: takeOver }),
  });
  return { all: [view.a, view.b], destroy: () => view.destroy() };
}

function asOne(parent: HTMLElement, doc: string, extensions: Extension[]): Views {
  const view = new EditorView({ parent, doc, extensions });
  return { all: [view], destroy: () => view.destroy() };
}

function takeOver(): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.title = 'Copy this change from the left';
  button.setAttribute('aria-label', button.title);
  // Aligned with its line: the text has a top margin.
  button.className = 'translate-y-3 rounded text-accent hover:bg-hover';
  button.textContent = '→';
  return button;
}
