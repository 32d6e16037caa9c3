const side = document.getElementById('side');
const menu = document.getElementById('menu');

/** The menu of a small window, and the theme. */
export function listenToSide() {
  menu.addEventListener('click', () => toggleMenu(!isMenuOpen()));
  document.querySelector('main').addEventListener('click', ({ target }) => {
    if (!menu.contains(target)) toggleMenu(false);
  });
  // A cookie, not the browser's storage: it is the same for every port, and the server draws with it.
  document.getElementById('theme').addEventListener('change', ({ target: { value } }) => {
    document.documentElement.dataset.theme = value;
    document.cookie = `theme=${value}; path=/; max-age=31536000; samesite=strict`;
  });
}

export function isMenuOpen() {
  return document.body.classList.contains('menu');
}

export function toggleMenu(open) {
  if (open === isMenuOpen()) return;
  document.body.classList.toggle('menu', open);
  menu.setAttribute('aria-expanded', String(open));
  if (open) side.querySelector('a').focus();
  else menu.focus();
}
