// Where the focus goes when what has it goes away: when a window over the page closes, to where it was on the page (Radix gives
// it back only to a trigger of its own); else to what stands there instead.

const OVER_THE_PAGE = '[role=menu], [role=dialog], [role=alertdialog]';

let last: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest(OVER_THE_PAGE)) last = target;
});

/** As `onCloseAutoFocus` of a window. */
export function focusBack(event: Event): void {
  event.preventDefault();
  (last?.isConnected ? last : document.getElementById('main'))?.focus({ preventScroll: true });
}

/** Nobody is left without the focus who had it: what they were at has it again, or else this, which is there instead. */
export function takeOverFocus(instead: HTMLElement | null): void {
  if (!instead || !last || document.activeElement !== document.body) return;
  (last.isConnected ? last : instead).focus({ preventScroll: true });
}

/** As the `ref` of what is drawn anew in another place: it keeps the focus that another one of its `data-same` had. */
export function keepFocus(element: HTMLElement | null): void {
  if (element?.dataset.same === last?.dataset.same) takeOverFocus(element);
}
