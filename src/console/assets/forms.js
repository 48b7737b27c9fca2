{
  /* A form is sent once, even if its button is pressed twice. */
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = 'yes';
    form.classList.add('sent');
  });
  addEventListener('pageshow', (event) => {
    if (event.persisted) for (const form of document.forms) delete form.dataset.sent;
  });

  document.documentElement.classList.add('scripted');
}
