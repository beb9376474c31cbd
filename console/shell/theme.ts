// Light or dark: as the system has it until a user chooses.

const storageKey = 'keelson.theme';
const order = ['system', 'light', 'dark'] as const;

type Theme = (typeof order)[number];

function currentTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return order.find((theme) => theme === stored) ?? 'system';
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
}

export function nextTheme(): void {
  const next = order[(order.indexOf(currentTheme()) + 1) % order.length] as Theme;
  localStorage.setItem(storageKey, next);
  applyTheme();
}
