/* Keyboard shortcuts. Every button and link also works without a script. */
{
  const says = document.getElementById('says');
  const announce = (text) => {
    if (says) says.textContent = text;
  };

  /* A decision takes two key presses: the first arms the button, the same key or Enter confirms. */
  let armed = null;
  function disarm() {
    armed?.classList.remove('armed');
    armed = null;
  }
  function arm(button) {
    disarm();
    armed = button;
    button.classList.add('armed');
    button.focus();
    announce(button.dataset.arm);
  }

  function act(target) {
    if (target.dataset.arm && armed !== target) return arm(target);
    disarm();
    if (target.dataset.opens) return open(document.getElementById(target.dataset.opens));
    if (target instanceof HTMLDetailsElement) return open(target);
    if (target.matches('input, textarea, select')) return target.focus();
    target.click();
  }
  function open(target) {
    if (!target) return;
    if (target instanceof HTMLDialogElement) return target.open ? target.close() : target.showModal();
    target.open = !target.open;
    const first = target.querySelector(target.open ? '[data-digit], button' : 'summary');
    first?.focus();
  }

  /* j and k move through the rows of a list. */
  function move(step) {
    const rows = [...document.querySelectorAll('[data-row]')];
    const at = rows.indexOf(document.activeElement);
    const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }

  /* Digits choose a reason in the open form, which sends the rejection. */
  function choose(digit) {
    const button = document.querySelector(`details[open] [data-digit="${digit}"]`);
    button?.click();
    return button !== null;
  }

  const isTyping = (target) =>
    target instanceof HTMLElement &&
    target.matches('textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=submit])');

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === 'Escape') {
      // Otherwise Enter would still press the disarmed button.
      armed?.blur();
      disarm();
      for (const details of document.querySelectorAll('details[data-key][open]')) details.open = false;
      if (isTyping(event.target)) event.target.blur();
      return;
    }
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (event.key === 'Enter' && armed) {
      event.preventDefault();
      return act(armed);
    }
    if (event.key === 'j' || event.key === 'k') {
      event.preventDefault();
      return move(event.key === 'j' ? 1 : -1);
    }
    if (event.key === 't') return void location.assign('/');
    if (/^[1-9]$/.test(event.key) && choose(event.key)) return event.preventDefault();
    const target = [...document.querySelectorAll('[data-key]')].find((it) => it.dataset.key === event.key);
    if (!target || event.repeat) return;
    event.preventDefault();
    act(target);
  });
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest('[data-opens]') : null;
    if (target) open(document.getElementById(target.dataset.opens));
    else if (armed && event.target !== armed) disarm();
  });
}
