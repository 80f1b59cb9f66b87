// The view of all projects, with buttons to make one from an example, a folder or a zip, to
// export one, and to delete one.
import { useRef } from 'preact/hooks'
import * as store from './store.js'
import { settings } from './settings.js'
import { visible } from './diff.jsx'
import { count } from './usage.js'
import { Icon } from './icons.jsx'
import { bytes } from './size.js'
import { askChoice, askText, askYes } from './ask.jsx'
import { isPack, takePack } from './packed.jsx'
import { assist, free, projectName, take } from './making.js'
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
        <p class="row">Without a project, golem’s own assistant answers and works on files that you give it. <button class="button small" onClick={assist}><Icon name="chat" />Talk with the assistant</button></p>
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
  const copy = () => store.attempt(`copying ${name}`, async () => {
    const to = await askText(`Copy ${visible(name)}`, { label: 'Name of the copy', value: free(`${name}-copy`, false), action: 'Copy it' })
    if (!to) return
    const made = projectName(to)
    const zip = await store.golem.exportZip(name, { repository: true })
    await store.golem.importZip(made, new Uint8Array(await zip.arrayBuffer()), { repository: true })
    const { used, ...mine } = settings.project(name)
    settings.forgetProject(made)
    settings.setProject(made, mine)
    await store.refresh()
    store.tell(`${made} is a copy of ${name}: its files and your choices, without conversations, traces and trust.`)
  })
  const rename = () => store.attempt(`renaming ${name}`, async () => {
    const to = await askText(`Rename ${visible(name)}`, { label: 'New name', value: name, action: 'Rename it' })
    if (!to || to === name) return
    const now = projectName(to)
    if (store.project.value === name ? store.running.value : store.elsewhere.value.some((e) => e.name === name)) throw new Error('something runs in it: stop it first')
    await store.leave(name)
    await store.golem.rename(name, now)
    settings.renameProject(name, now)
    await import('./drafts.js').then((m) => m.move(name, now))
    await store.renamed(name, now)
    store.tell(`${name} is ${now} now${now === to ? '' : ': a name has letters, digits, spaces, - and _'}.`)
  })
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
    await store.leave(name)
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
        <button class="button primary" aria-label={`Open ${name}`} onClick={() => store.attempt(`opening ${name}`, () => store.open(name))}><Icon name="run" />Open</button>
        <span class="grow" />
        <button class="button quiet square" aria-label={`rename ${name}`} title="rename" onClick={rename}><Icon name="pen" /></button>
        <button class="button quiet square" aria-label={`copy ${name} to a new project`} title="make a copy" onClick={copy}><Icon name="copy" /></button>
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
      <div class="row"><button class="button" aria-label={`Use it: ${example.title}`} onClick={() => store.attempt(example.name, () => take(example))}><Icon name="plus" />Use it</button></div>
    </li>
  )
}

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
