{
  /* Refreshes the preview of an edit while the person types. The server renders and checks it. Drafts survive a sign-out. */
  const edit = document.querySelector('form[data-preview]');
  if (edit) {
    const preview = document.getElementById('preview');
    const draftKey = `draft ${edit.dataset.preview} ${edit.elements.namedItem('sha256')?.value}`;
    const fields = [...edit.querySelectorAll('input:not([type=hidden]), textarea')];
    const sentValue = (field) => (field.type === 'checkbox' && !field.checked ? '' : field.value);
    const restore = (field, value) => {
      if (field.type === 'checkbox') field.checked = value === field.value;
      else field.value = value;
    };
    const draft = sessionStorage.getItem(draftKey);
    if (draft && edit.dataset.fresh) {
      const values = JSON.parse(draft);
      for (const field of fields) if (typeof values[field.name] === 'string') restore(field, values[field.name]);
      document.getElementById('says').textContent = edit.dataset.draft;
    }
    let waiting;
    let requests = 0;
    const refresh = async () => {
      const mine = ++requests;
      const answer = await fetch(edit.dataset.preview, {
        method: 'POST',
        body: new URLSearchParams(new FormData(edit)),
        headers: { accept: 'text/html-part' },
      });
      const text = await answer.text();
      if (mine !== requests || !answer.ok) return;
      preview.replaceChildren(...new DOMParser().parseFromString(text, 'text/html').body.childNodes);
    };
    edit.addEventListener('input', () => {
      sessionStorage.setItem(
        draftKey,
        JSON.stringify(Object.fromEntries(fields.map((it) => [it.name, sentValue(it)]))),
      );
      clearTimeout(waiting);
      waiting = setTimeout(refresh, 250);
    });
    edit.addEventListener('submit', (event) => {
      if (event.submitter?.dataset.forgets) sessionStorage.setItem('draft to forget', draftKey);
    });
    if (draft && edit.dataset.fresh) refresh();
  } else if (document.querySelector('.flash')) {
    sessionStorage.removeItem(sessionStorage.getItem('draft to forget') ?? '');
    sessionStorage.removeItem('draft to forget');
  }
}
