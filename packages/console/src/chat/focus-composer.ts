// Moves the focus to the composer when the focused element disappears, so that it does not fall back to the page.

/** Does nothing if the focus is elsewhere by now. `from` may already be gone. */
export function focusComposer(from: Element | null): void {
  const { activeElement, body } = document;
  if (activeElement === body || from?.contains(activeElement)) document.getElementById('message')?.focus();
}
