// What the tests do in the page, as a person would: by the names that things
// have for people and screen readers.
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
  // shows finds a text, also the chosen one of a list, which Firefox does not count as the page's.
  const shows = (wanted) => document.body.innerText.includes(wanted) || [...document.querySelectorAll('select')].some((s) => seen(s) && s.selectedOptions[0]?.text.includes(wanted))
  const type = async (text) => {
    const field = await until('a field', () => document.querySelector('form textarea, .composer textarea, textarea'))
    field.focus()
    field.value = text
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  return {
    type,
    // say sends a text as soon as nothing runs.
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
