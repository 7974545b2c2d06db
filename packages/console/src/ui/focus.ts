// Where the focus goes when a window over the page closes: to where it was on the page. Radix gives it back only to a
// trigger of its own.

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
