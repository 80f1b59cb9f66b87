// The libraries of this browser: the list, and buttons to install one from a zip, a folder or
// an address, to update and to remove one.
import * as store from './store.js'
import { faultText } from './texts.js'
import { visible } from './diff.jsx'
import { Icon } from './icons.jsx'
import { askText, askYes } from './ask.jsx'
import { withScheme } from './settings.js'
import { filesOf } from './folder.js'
import { fetchPack } from './packed.jsx'

export function Libraries() {
  const { libraries, faults } = store.libraries.value
  return (
    <section class="stack" aria-labelledby="libraries">
      <h2 id="libraries">Libraries</h2>
      <p class="muted">Workers that several projects use. A project names those that it needs under dependencies: in its project.yaml.</p>
      <Install />
      {libraries.length > 0 && <ul class="cards">{libraries.map((l) => <Card key={l.dir} library={l} />)}</ul>}
      {faults.map((f) => <p key={f.message} class="small">{visible(faultText(f))}</p>)}
    </section>
  )
}

function Card({ library }) {
  const { dir } = library
  const remove = () => store.attempt(`removing ${dir}`, async () => {
    if (!(await askYes(`Remove ${visible(dir)}?`, 'Projects that use it will not run until it is installed again.', 'Remove', true))) return
    await store.golem.removeLibrary(dir)
    await store.refresh()
  })
  const from = library.origin.from ?? ''
  return (
    <li class="card">
      <h3>{visible(library.name)} <span class="muted">{visible(library.version ?? '')}</span></h3>
      {library.description && <p class="small">{visible(library.description)}</p>}
      <p class="small muted">{from && `from ${visible(from)}`}</p>
      <div class="row">
        {/^https?:/.test(from) && <button class="button" aria-label={`update the library ${dir}`} title="fetch it again, and show what has changed" onClick={() => update(library)}>Update</button>}
        <span class="grow" />
        <button class="button quiet square danger" aria-label={`remove the library ${dir}`} title="remove" onClick={remove}><Icon name="trash" /></button>
      </div>
    </li>
  )
}

/** Installs a library and shows a notice with the result. */
const installed = async (files, from) => {
  const { library, fresh, left, missing } = await store.golem.installLibrary(await files(), from)
  const out = left?.length ? `; left out: ${left.slice(0, 5).map(visible).join(', ')}` : ''
  const lacks = (missing ?? []).map(({ message }) => `. ${visible(library.dir)} cannot be used yet: ${visible(message)}`).join('')
  store.tell((fresh ? `${visible(library.dir)} is installed${out}` : `${visible(library.dir)} was installed already, with the same files`) + lacks, lacks ? 'warn' : 'info')
  await store.refresh()
}

const install = (files, from) => store.attempt(from, () => installed(files, from))

/** Fetches a library again from its address, as golem lib update does. It shows what has changed and asks before it installs. */
const update = ({ dir, origin: { from } }) => store.attempt(`updating ${dir}`, async () => {
  const files = await load(from)
  const { library, fresh, changes } = await store.golem.updateLibrary(files, from, { look: true, dir })
  const to = visible(library.dir)
  const stays = library.dir === dir ? '' : `The address now has ${to}, and golem keeps ${visible(dir)}. `
  if (!fresh && !changes?.length) return store.tell(stays ? `The address now has ${to}, which is installed already` : `${to} is up to date`)
  const some = (changes ?? []).slice(0, 20).map(visible).join(', ') + (changes?.length > 20 ? ` and ${changes.length - 20} more` : '')
  const why = stays + (fresh ? '' : `Files: ${some}. A project whose golem.lock pins the old files refuses the new ones until you write it again, in its Files.`)
  if (!await askYes(fresh ? `Install ${to}?` : `Update ${to}?`, why, fresh ? 'Install' : 'Put the new files in their place')) return
  await store.golem.updateLibrary(files, from, { dir })
  store.tell(fresh ? `${to} is installed` : `${to} is updated`)
  await store.refresh()
})

function Install() {
  const zip = async (e) => {
    const file = e.target.files[0]
    e.target.value = ''
    if (file) await install(async () => new Uint8Array(await file.arrayBuffer()), file.name)
  }
  const folder = async (e) => {
    const picked = [...e.target.files]
    e.target.value = ''
    if (!picked.length) return
    const top = picked[0].webkitRelativePath.split('/')[0]
    await install(() => filesOf(picked, top), top)
  }
  const address = async () => {
    let given = ''
    let why = ''
    for (;;) { // until the library is installed, or the person cancels
      given = await askText('Install a library from an address', {
        label: 'Address of a zip file', action: 'Install', value: given, why: why + 'The page asks this address for the file, once. The server has to allow it (CORS).',
      })
      if (!given) return
      const from = withScheme(given).split(/[?#]/)[0]
      try {
        return await installed(() => load(given), from)
      } catch (e) {
        why = `${visible(from)}: ${visible(e.code ? faultText(e) : e.message)}. `
      }
    }
  }
  return (
    <div class="row">
      <label class="button"><Icon name="up" />Library from a zip<input class="sr" type="file" accept=".zip,application/zip" onChange={zip} /></label>
      <label class="button"><Icon name="folder" />Library from a folder<input class="sr" type="file" webkitdirectory onChange={folder} /></label>
      <button class="button" onClick={address}><Icon name="link" />Library from an address</button>
    </div>
  )
}

/** Fetches the file at an address. A redirect is an error, and no cookies are sent. */
async function load(address) {
  const text = withScheme(address)
  if (!URL.canParse(text)) throw new Error('this is no address: write one like https://example.org/library.zip')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) throw new Error('the address has to begin with https://')
  if (url.username || url.password) throw new Error('the address has a key in it, and golem keeps addresses')
  return fetchPack(url)
}
