// The search of the documentation: it reads search.json when somebody begins to search, and
// inserts everything as text. golem docs WORDS finds parts in the same way.
(() => {
  const root = document.documentElement.dataset.root
  const box = document.querySelector('.search')
  const input = box.querySelector('input')
  const found = box.querySelector('.found')
  const status = found.querySelector('p')
  const list = found.querySelector('ol')
  const most = 12
  const small = new Set('a an and are can do does for how i in is it my of on or the to what with'.split(' '))
  let index

  /** Returns all sections: {page, title, path, text}, lower-case copies in low. */
  const load = () => index ??= fetch(root + 'search.json').then((r) => r.json()).then((pages) => pages.flatMap((p) => p.sections.map((s) => ({
    page: p.title, title: s.title, path: p.path + (s.id && '#' + encodeURIComponent(s.id)), text: s.text, error: p.path.startsWith('errors/'), list: p.path.startsWith('reference/'),
    low: { page: p.title.toLowerCase(), title: s.title.toLowerCase(), text: s.text.toLowerCase() },
  })))).catch((e) => { index = undefined; throw e })

  /** Returns where words that begin with this one are in a text, at most count. */
  const places = (text, word, count) => {
    const out = []
    for (let at = text.indexOf(word); at >= 0 && out.length < count; at = text.indexOf(word, at + 1)) {
      if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) out.push(at)
    }
    return out
  }

  /** Returns how well a section fits to words, and how many of them it has. */
  const rate = (s, words, phrase) => {
    let sum = 0
    let has = 0
    for (const w of words) {
      let n = 3 * places(s.low.text, w, 3).length / (1 + s.text.length / 2000)
      if (places(s.low.page, w, 1).length) n += 4
      if (places(s.low.title, w, 1).length) n += 8
      if (n) has++
      sum += n
    }
    if (words.length > 1 && !s.list && places(s.low.text, phrase, 1).length) sum += 8 // a guide comes before a list
    return { s, has, sum: s.error && !places(s.low.page, words[0], 1).length ? sum / 10 : sum }
  }

  /** Returns the best sections for a query: those with all words, else those with most of them. */
  const search = (sections, query) => {
    const phrase = query.trim().toLowerCase()
    const all = [...new Set(phrase.match(/[\p{L}\p{N}_.-]+/gu) ?? [])].slice(0, 30)
    const words = all.some((w) => !small.has(w)) ? all.filter((w) => !small.has(w)) : all
    if (!words.length) return { words, hits: [], count: 0 }
    const rated = sections.map((s) => rate(s, words, phrase)).filter((r) => r.has)
    const need = rated.some((r) => r.has === words.length) ? words.length : Math.max(2, Math.ceil(words.length / 2))
    const hits = rated.filter((r) => r.has >= need).sort((a, b) => need < words.length && b.has - a.has || b.sum - a.sum)
    return { words, hits: hits.slice(0, most).map((r) => r.s), count: hits.length }
  }

  /** Appends a text to an element, with its words marked. */
  const marked = (element, text, words) => {
    const low = text.toLowerCase()
    const spans = low.length === text.length ? words.flatMap((w) => places(low, w, 20).map((at) => [at, at + w.length])).sort((a, b) => a[0] - b[0]) : []
    let done = 0
    for (const [from, to] of spans) {
      if (from < done) continue
      element.append(text.slice(done, from))
      element.append(Object.assign(document.createElement('mark'), { textContent: text.slice(from, to) }))
      done = to
    }
    element.append(text.slice(done))
    return element
  }

  /** Returns the part of a section's text around the first of the words. */
  const around = (s, words) => {
    const first = Math.min(...words.map((w) => places(s.low.text, w, 1)[0] ?? Infinity))
    const from = first === Infinity ? 0 : Math.max(0, s.text.lastIndexOf(' ', Math.max(0, first - 50)) + 1)
    const part = s.text.slice(from, from + 170)
    return (from ? '… ' : '') + part + (from + 170 < s.text.length ? ' …' : '')
  }

  let asked = 0
  const show = async () => {
    const turn = ++asked
    const query = input.value
    if (!query.trim()) {
      found.hidden = true
      return
    }
    let sections
    try {
      sections = await load()
    } catch {
      found.hidden = false
      status.textContent = 'The search could not be loaded. Try again, or use golem docs in a terminal.'
      list.replaceChildren()
      return
    }
    if (turn !== asked) return
    const { words, hits, count } = search(sections, query)
    status.textContent = count ? count === 1 ? '1 place' : `${count} places` : `Nothing has these words: ${query.trim().slice(0, 100)}`
    list.replaceChildren(...hits.map((s) => {
      const link = Object.assign(document.createElement('a'), { href: root + s.path })
      link.append(marked(document.createElement('strong'), s.title === s.page ? s.page : `${s.page}: ${s.title}`, words))
      link.append(marked(document.createElement('small'), around(s, words), words))
      link.addEventListener('click', () => { found.hidden = true })
      const item = document.createElement('li')
      item.append(link)
      return item
    }))
    found.hidden = false
  }

  input.addEventListener('input', show)
  input.addEventListener('focus', () => { load().catch(() => {}); if (input.value.trim()) show() })
  box.addEventListener('keydown', (e) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    if (e.key === 'Escape') {
      found.hidden = true
      input.focus()
    } else if (e.key === 'Enter' && document.activeElement === input) {
      if (!found.hidden) links[0]?.click()
    } else if (e.key === 'ArrowDown' && !found.hidden && links.length) {
      links[Math.min(at + 1, links.length - 1)].focus()
    } else if (e.key === 'ArrowUp' && at >= 0) {
      at ? links[at - 1].focus() : input.focus()
    } else {
      return
    }
    e.preventDefault()
  })
  addEventListener('keydown', (e) => {
    if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || document.activeElement === input) return
    e.preventDefault()
    input.focus()
  })
  addEventListener('click', (e) => { if (!box.contains(e.target)) found.hidden = true })
  box.addEventListener('focusout', (e) => { if (e.relatedTarget && !box.contains(e.relatedTarget)) found.hidden = true })
  box.hidden = false
})()
