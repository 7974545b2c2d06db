// What was typed and not sent, kept for the tab.

const PREFIX = 'continuo-draft:';

export const DRAFTS = {
  read: (place: string): string => sessionStorage.getItem(PREFIX + place) ?? '',
  write: (place: string, text: string): void => {
    if (text === '') sessionStorage.removeItem(PREFIX + place);
    else sessionStorage.setItem(PREFIX + place, text);
  },
};
