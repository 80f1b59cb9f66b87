// The page works without this script. With it, how far the batch is stays up to date, and a yes
// counts only after the end of its question was on the screen for a moment.
const settle = 400 // ms: a click sooner was meant for what was there before
for (const form of document.querySelectorAll('form.ask')) {
  const yes = form.querySelector('.yes')
  if (!yes) continue
  yes.disabled = true
  let timer
  new IntersectionObserver((seen, watch) => {
    clearTimeout(timer)
    if (!seen.at(-1).isIntersecting) return
    timer = setTimeout(() => {
      yes.disabled = false
      watch.disconnect()
    }, settle)
  }).observe(form)
}

const { digest } = document.body.dataset
const show = (id, text) => {
  const at = document.getElementById(id)
  if (at.textContent !== text) at.textContent = text
}

/** busy reports whether a reload takes something from the person. */
const busy = () => document.querySelector('article') !== null

async function look() {
  try {
    const answer = await fetch('state')
    if (!answer.ok) throw new Error(String(answer.status))
    const now = await answer.json()
    show('line', now.line)
    show('means', now.means)
    if (now.digest !== digest) {
      if (!busy()) return location.reload()
      document.getElementById('changed').hidden = false
    }
  } catch {
    show('means', 'golem does not answer: golem batch attach --web has ended, or it cannot read the batch. This page shows what was.')
  }
  setTimeout(look, 2000)
}
if (digest) setTimeout(look, 2000)
