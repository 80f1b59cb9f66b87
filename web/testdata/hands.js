// Functions with which the tests use the page as a person does. They find elements by the names
// that people and screen readers see.
window.hands ??= (() => {
  const seen = (e) => e.checkVisibility?.() !== false && e.getClientRects().length > 0
  const name = (e) => (e.getAttribute('aria-label') ?? e.innerText ?? '').trim().replace(/\s+/g, ' ')
  async function until(what, f, ms = 240000) {
    const end = performance.now() + ms
    for (;;) {
      const v = await f()
      if (v) return v
      if (performance.now() > end) throw new Error(`waited for ${what}; the page shows: ${document.body.innerText.slice(0, 1500)}`)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }
  const button = (wanted) => [...document.querySelectorAll('button, summary, label.button, a')].find((e) => seen(e) && !e.disabled && name(e) === wanted)
    ?? [...document.querySelectorAll('button, summary, label.button, a')].find((e) => seen(e) && !e.disabled && name(e).includes(wanted))
  // shows reports whether a text is visible. It also looks at the chosen option of lists, which Firefox's innerText does not have.
  const shows = (wanted) => document.body.innerText.includes(wanted) || [...document.querySelectorAll('select')].some((s) => seen(s) && s.selectedOptions[0]?.text.includes(wanted))
  const type = async (text) => {
    const field = await until('a field', () => document.querySelector('form textarea, .composer textarea, textarea'))
    field.focus()
    field.value = text
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  return {
    type,
    // say waits until nothing runs, and sends a text.
    say: async (text) => {
      const send = await until('the turn', () => [...document.querySelectorAll('.composer button')].find((b) => ['Run', 'Send'].includes(b.innerText) && !b.disabled))
      await type(text)
      send.form.requestSubmit()
    },
    until,
    button,
    click: async (wanted) => { (await until(`the button ${wanted}`, () => button(wanted))).click() },
    text: (wanted, ms) => until(`the text ${wanted}`, () => shows(wanted), ms),
  }
})();
