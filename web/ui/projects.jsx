// The list of projects, with buttons to make one from an example, a folder, a zip or a link,
// to export one, and to delete one.
import { useRef } from 'preact/hooks'
import * as store from './store.js'
import { settings } from './settings.js'
import { visible } from './diff.jsx'
import { count } from './usage.js'
import { Icon } from './icons.jsx'
import { bytes } from './size.js'
import { askChoice, askYes } from './ask.jsx'
import { address, fetchPack, isPack, takePack } from './packed.jsx'
import { picked, project as takeFolder, Progress, zipped } from './bring.jsx'
import { later } from './later.jsx'

const Libraries = later(() => import('./libraries.jsx').then((m) => m.Libraries), true)

export function Projects() {
  const used = (p) => settings.project(p.name).used ?? 0
  const list = [...store.projects.value].sort((a, b) => used(b) - used(a))
  return (
    <div class="page"><div class="inner">
      <section class="hero">
        <h2>Workers that run in this tab</h2>
        {list.length < 2 && <p>A project is a folder of workers: text files with a prompt and what they may do. It runs here as it does on the command line. Files stay in this browser; nothing is sent anywhere but to the model you choose and to hosts that you grant a tool. The examples need no key.</p>}
        <Make />
      </section>
      {list.length > 0 && (
        <section class="stack" aria-labelledby="mine">
          <h2 id="mine">Projects</h2>
          <ul class="cards">{list.map((p) => <Card key={p.name} project={p} />)}</ul>
        </section>
      )}
      <section class="stack" aria-labelledby="examples">
        <h2 id="examples">Examples</h2>
        <ul class="cards">{store.examples.value.map((e) => <Example key={e.name} example={e} />)}</ul>
      </section>
      <Libraries />
    </div></div>
  )
}

function Card({ project }) {
  const { name } = project
  const zip = () => store.attempt(`exporting ${name}`, async () => store.download(`${name}.zip`, await store.golem.exportZip(name, { repository: true })))
  const pack = () => store.attempt(`packing ${name}`, async () => {
    const { blob, left } = await store.golem.exportPack(name, settings.given())
    store.download(`${name}.golem`, blob)
    const told = left.filter((file) => file !== '.golem') // golem's own state never travels
    if (told.length) store.tell(`left out of ${name}.golem: ${told.map(visible).join(', ')}`)
  })
  const link = () => store.attempt('the link', async () => {
    const url = await carry(name)
    await navigator.clipboard.writeText(url)
    store.tell(`a link that contains ${name} is in the clipboard (${bytes(url.length)}); everyone who opens it gets a copy`)
  })
  const remove = () => store.attempt(`deleting ${name}`, async () => {
    if (!(await askYes(`Delete ${visible(name)}?`, 'All its files and traces are deleted. This cannot be undone.', 'Delete', true))) return
    if (store.project.value === name) await store.leave()
    await store.golem.remove(name)
    settings.forgetProject(name)
    store.forget(name)
    if (store.project.value === name) store.project.value = ''
    await store.refresh()
  })
  return (
    <li class="card">
      <h3>{visible(name)}</h3>
      <p class="small muted">{count(project.files, 'file')}, {bytes(project.bytes)}{settings.project(name).used && `, opened ${new Date(settings.project(name).used).toLocaleDateString()}`}</p>
      <div class="row">
        <button class="button primary" onClick={() => store.attempt(`opening ${name}`, () => store.open(name))}><Icon name="run" />Open</button>
        <span class="grow" />
        <button class="button quiet square" aria-label={`export ${name} as a zip`} title="export as a zip" onClick={zip}><Icon name="down" /></button>
        <button class="button quiet square" aria-label={`export ${name} with its libraries, as golem pack does`} title="export with its libraries, as one file that golem runs (.golem)" onClick={pack}><Icon name="box" /></button>
        <button class="button quiet square" aria-label={`copy a link that contains ${name}`} title="copy a link that contains it" onClick={link}><Icon name="link" /></button>
        <button class="button quiet square danger" aria-label={`delete ${name}`} title="delete" onClick={remove}><Icon name="trash" /></button>
      </div>
    </li>
  )
}

function Example({ example }) {
  return (
    <li class="card">
      <h3>{example.title}</h3>
      <p class="small muted">{example.about}</p>
      <div class="row"><button class="button" onClick={() => store.attempt(example.name, () => take(example))}><Icon name="plus" />Use it</button></div>
    </li>
  )
}

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
function free(name) {
  const taken = new Set(store.projects.value.map((p) => p.name))
  let out = name
  for (let i = 2; taken.has(out); i++) out = `${name}-${i}`
  settings.forgetProject(out) // what the person chose for an earlier project of this name
  return out
}

/** Returns the beginning of a text, at most so many bytes of UTF-8. */
const within = (s, most) => new TextDecoder().decode(new TextEncoder().encode(s).subarray(0, most), { stream: true }) // with stream, a character that is cut is left out

/** Returns a valid project name for the name of a folder or file: at most 90 bytes, not the name of a device of Windows (core/sandbox). */
const projectName = (s) => within(s.replace(/\.(zip|golem)$/i, '').replace(/[^\p{L}\p{N}._ -]+/gu, '-').replace(/^[. ]+/, ''), 90)
  .replace(/[. ]+$/, '').replace(/^(con|prn|aux|nul|(com|lpt)[\d¹²³])(?= *(\.|$))/i, '$1-project') || 'project'

/** Makes a project and opens it, unless the person has opened another view or project meanwhile. */
async function openMade(name, make) {
  const here = () => `${store.view.value} ${store.project.value}`
  const was = here()
  await make()
  await store.refresh()
  if (here() === was) await store.open(name)
  else store.tell(`The project ${visible(name)} is there.`)
}

function Make() {
  const folder = useRef(null)
  const fresh = async () => {
    const given = await askChoice('New project', {
      label: 'Name', value: free('project'), action: 'Make it', choices: { label: 'Begin with', rows: store.golem.templates },
    })
    if (!given) return
    const name = projectName(given.text)
    await store.attempt(`making ${name}`, async () => {
      await store.golem.init(name, given.choice)
      settings.forgetProject(name)
      settings.setProject(name, { template: given.choice })
      await store.refresh()
      await store.open(name, 'files')
      store.edit('main.worker')
      if (name !== given.text) store.tell(`The project is called ${name}: ${visible(given.text)} has characters that names of projects do not have.`)
    })
  }
  const zip = async (e) => {
    const file = e.target.files[0]
    e.target.value = ''
    if (!file) return
    await store.attempt(file.name, async () => {
      const name = free(projectName(file.name))
      if (isPack(file.name)) return await takePack(() => name, new Uint8Array(await file.arrayBuffer()))
      await openMade(name, async () => zipped(name, new Uint8Array(await file.arrayBuffer())))
    })
  }
  const dir = async (e) => {
    const files = picked(e.target)
    const top = e.target.files[0]?.webkitRelativePath.split('/')[0]
    e.target.value = ''
    if (!files.length) return
    await store.attempt(top, async () => {
      const name = free(projectName(top))
      await openMade(name, () => takeFolder(name, files))
    })
  }
  return (
    <><div class="row">
      <button class="button primary" onClick={fresh}><Icon name="plus" />New project</button>
      <label class="button"><Icon name="up" />From a zip<input class="sr" type="file" accept=".zip,.golem,application/zip" onChange={zip} /></label>
      <label class="button"><Icon name="folder" />From a folder<input class="sr" type="file" webkitdirectory ref={folder} onChange={dir} /></label>
    </div><Progress /></>
  )
}

/** Returns a link that has a project in its fragment, which browsers do not send to servers. */
async function carry(name) {
  const zip = new Uint8Array(await (await store.golem.exportZip(name)).arrayBuffer())
  if (zip.length > 1_500_000) throw new Error(`${bytes(zip.length)} is too large for a link: export a zip instead`)
  let text = ''
  for (let i = 0; i < zip.length; i += 0x8000) text += String.fromCharCode(...zip.subarray(i, i + 0x8000))
  const coded = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return `${location.href.split('#')[0]}#project=${encodeURIComponent(name)}&zip=${coded}`
}

/** Makes the project that the page's link contains or, on a first visit, an example. */
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
    const url = address(given.get('url'))
    if (store.framed) {
      store.tell('golem does not open projects inside another page: open the link in its own tab', 'warn')
      return
    }
    if (!url) {
      store.tell('this link does not name a packed project: its address must begin with https', 'warn')
    } else if (await askYes('Fetch this project?', `golem will fetch ${visible(url.href)} if you agree, and show you what it is before anything is kept. The host learns your network address.`, 'Fetch it')) {
      await store.attempt(url.host, async () => takePack((own) => free(projectName(own)), await fetchPack(url)))
      return
    }
  }
  const { last } = settings
  if (last && store.projects.value.some((p) => p.name === last)) return void (await store.attempt(last, () => store.open(last)))
  if (!store.projects.value.length && store.examples.value.length && (!last || !store.golem.kept)) await store.attempt('the first example', () => take(store.examples.value[0], true))
}
