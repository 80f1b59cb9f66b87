// Makes projects: from an example, from the page's link, and the one in which the person talks
// with golem's assistant.
import * as store from './store.js'
import { settings } from './settings.js'
import { visible } from './visible.js'
import { askYes } from './ask.jsx'

/** Copies an example into a new project and opens it. */
export async function take(example, first = false) {
  const response = await fetch(`examples/${example.name}.zip`)
  if (!response.ok) throw new Error(`the example cannot be read (${response.status})`)
  const name = free(example.name.split('/')[0])
  await store.golem.importZip(name, new Uint8Array(await response.arrayBuffer()))
  settings.setProject(name, { model: example.model ?? '', example: example.name, first: first || undefined })
  await store.refresh()
  await store.open(name)
}

/** Returns name, or the first of name-2, name-3, … that no project has. */
export function free(name, anew = true) {
  const taken = new Set(store.projects.value.map((p) => p.name))
  let out = name
  for (let i = 2; taken.has(out); i++) out = `${name}-${i}`
  if (anew) settings.forgetProject(out) // what the person chose for an earlier project of this name
  return out
}

/** Returns the beginning of a text, at most so many bytes of UTF-8. */
const shortened = (s, most) => new TextDecoder().decode(new TextEncoder().encode(s).subarray(0, most), { stream: true }) // with stream, a character that is cut is left out

/** Returns a valid project name for the name of a folder or file: at most 90 bytes, not the name of a device of Windows (core/sandbox). */
export const projectName = (s) => shortened(s.replace(/\.(zip|golem)$/i, '').replace(/[^\p{L}\p{N}._ -]+/gu, '-').replace(/^[. ]+/, ''), 90)
  .replace(/[. ]+$/, '').replace(/^(con|prn|aux|nul|(com|lpt)[\d¹²³])(?= *(\.|$))/i, '$1-project') || 'project'

/** Opens golem's assistant: the project in which the person talked with it before, or a new one without files. */
export const assist = () => store.attempt('the assistant', async () => {
  await store.refresh()
  for (const { name } of store.projects.value.filter((p) => settings.project(p.name).assistant)) {
    if ((await store.golem.open(name)).bare) return store.open(name) // else its files became a project
  }
  const name = free('assistant')
  await store.golem.create(name)
  settings.setProject(name, { assistant: true })
  await store.refresh()
  return store.open(name)
})

/** Makes the project that the page's link contains. Without one, and if no project is open, it opens the last project or, on a first visit, an example. */
export async function incoming() {
  const given = new URLSearchParams(location.hash.slice(1))
  if (given.has('zip')) {
    history.replaceState(null, '', location.pathname + location.search)
    const name = free(projectName(given.get('project') || 'shared'))
    if (store.framed) {
      store.tell('golem does not open projects inside another page: open the link in its own tab', 'warn')
      return
    }
    if (await askYes('Take this project?', `This link contains a project, ${name}. golem will copy it into this browser if you agree. It runs only when you start it.`, 'Take it')) {
      await store.attempt(name, async () => {
        const text = atob(given.get('zip').replaceAll('-', '+').replaceAll('_', '/'))
        await store.golem.importZip(name, Uint8Array.from(text, (c) => c.charCodeAt(0)))
        await store.refresh()
        await store.open(name, 'files')
      })
      return
    }
  }
  if (given.has('url')) {
    history.replaceState(null, '', location.pathname + location.search)
    const packed = await import('./packed.jsx')
    const url = packed.address(given.get('url'))
    if (store.framed) {
      store.tell('golem does not open projects inside another page: open the link in its own tab', 'warn')
      return
    }
    if (!url) {
      store.tell('this link does not name a packed project: its address must begin with https', 'warn')
    } else if (await askYes('Fetch this project?', `golem will fetch ${visible(url.href)} if you agree, and show you what it is before anything is kept. The host learns your network address.`, 'Fetch it')) {
      await store.attempt(url.host, async () => packed.takePack((own) => free(projectName(own)), await packed.fetchPack(url)))
      return
    }
  }
  if (store.project.value) return // a link that the person refused, or that is wrong, changes nothing
  const { last } = settings
  if (last && store.projects.value.some((p) => p.name === last)) return void (await store.attempt(last, () => store.open(last)))
  if (!store.projects.value.length && store.examples.value.length && (!last || !store.golem.kept)) await store.attempt('the first example', () => take(store.examples.value[0], true))
}
