// Switches the library's dark colours on and off, as the browser prefers; loaded first, so that nothing flashes.
'use strict';
(() => {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  function apply() {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  }
  dark.addEventListener('change', apply);
  apply();
})();
