// Where the focus goes from what is about to vanish: to the message, not to the top of the page.

export function toMessage(from: Element | null): void {
  if (from?.contains(document.activeElement)) document.getElementById('message')?.focus();
}
