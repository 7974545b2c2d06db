// Where the focus goes when the focused element disappears. When a dialog closes: back to the page, where it was (Radix
// returns it only to its own trigger). Otherwise: to the element that replaces it.

const OVER_THE_PAGE = '[role=menu], [role=dialog], [role=alertdialog]';

let last: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest(OVER_THE_PAGE)) last = target;
});

/** For `onCloseAutoFocus` of a dialog. */
export function restoreFocus(event: Event): void {
  event.preventDefault();
  (last?.isConnected ? last : document.getElementById('main'))?.focus({ preventScroll: true });
}

/** If the focus was lost, returns it to the last element, or else to its replacement. */
export function takeOverFocus(instead: HTMLElement | null): void {
  if (!instead || !last || document.activeElement !== document.body) return;
  (last.isConnected ? last : instead).focus({ preventScroll: true });
}

/**
 * For the `ref` of an element that is rendered in another place: takes the focus over from the element with the same
 * `data-same`.
 */
export function keepFocus(element: HTMLElement | null): void {
  if (element?.dataset.same === last?.dataset.same) takeOverFocus(element);
}
