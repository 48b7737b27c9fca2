{
  /* Copies a chosen file into its text field, which is what the form sends. */
  for (const input of document.querySelectorAll('input[data-into]'))
    input.addEventListener('change', async () => {
      const field = document.getElementById(input.dataset.into);
      const file = input.files?.[0];
      if (field && file) field.value = await file.text();
    });

  /* Polls for the first execution without a reload, which would lose the token on the page. It continues after a lost answer. */
  const WATCH_MS = 2_000;
  const ANSWER_MS = 10_000;
  const watch = () => {
    const waiting = document.querySelector('[data-watch]');
    if (!waiting) return;
    setTimeout(async () => {
      const answer = await fetch(waiting.dataset.watch, {
        headers: { accept: 'text/html-part' },
        signal: AbortSignal.timeout(ANSWER_MS),
      }).catch(() => null);
      if (answer?.ok) {
        const part = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('arrivals');
        if (part && !part.dataset.watch) {
          waiting.replaceWith(part);
          document.getElementById('says').textContent = part.querySelector('h2')?.textContent ?? '';
        }
      }
      watch();
    }, WATCH_MS);
  };
  watch();
}
