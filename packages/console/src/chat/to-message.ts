// Where the focus goes from what vanishes: to the message, not to the top of the page.

/** What was at `from` may be gone already; whoever types elsewhere by now goes on there. */
export function toMessage(from: Element | null): void {
  const { activeElement, body } = document;
  if (activeElement === body || from?.contains(activeElement)) document.getElementById('message')?.focus();
}
