// Runs before the first paint, so that a page never appears in the colors of the system first. From
// then on, theme.ts decides.
{
  const theme = localStorage.getItem('presetd.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
