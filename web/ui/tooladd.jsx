// Adds tools that others made, as golem tool add and update do: a module from an address or a
// file is shown first, and after a yes written into the project and pinned.
import { useEffect, useRef, useState } from 'preact/hooks'
import { render } from 'preact'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { Dialog } from './ask.jsx'
import { address } from './packed.jsx'
import { faultText } from './texts.js'
import { fault, fetchModule, largest } from './toolfetch.js'
import { Found } from './toolfound.jsx'
import { count } from './usage.js'
import { makeFile } from './newfile.js'

/** Reads tools.lock, in the form in which golem writes it: resolves to the addresses of fetched modules, by path. */
async function fetchedBefore() {
  if (!store.files.value.some((f) => f.path === 'tools.lock')) return {}
  const lock = new TextDecoder().decode(await store.golem.files(store.project.value).read('tools.lock'))
  const out = {}
  const quoted = '("(?:[^"\\\\]|\\\\.)*")'
  for (const [, path, from] of (lock.split(/^from:$/m)[1] ?? '').matchAll(new RegExp(`^  ${quoted}: ${quoted}$`, 'gm'))) {
    try {
      out[JSON.parse(path)] = JSON.parse(from)
    } catch { /* not an escape that golem writes: only the command line can update this module */ }
  }
  return out
}

/** Opens the dialog. */
export const tools = () => store.attempt('reading tools.lock', async () => {
  await store.listFiles()
  const fetched = await fetchedBefore()
  const place = document.body.appendChild(document.createElement('div'))
  const leave = () => {
    render(null, place)
    place.remove()
  }
  render(<AddTool project={store.project.value} fetched={fetched} leave={leave} />, place)
})

const nameOf = (path) => path.replace(/^.*\//, '').replace(/\.wasm$/, '')

/** Fetches a module from an address. path is the path of the module that it updates, '' for a new one. */
async function fromAddress(project, from, path, signal, tell) {
  const url = address(from)
  const name = nameOf(path || url?.pathname || 'tool')
  if (path && path !== `tools/${name}.wasm`) throw fault('E_PLATFORM', `the page updates modules in tools/ only, and this one is ${visible(path)}`, 'use golem tool update of the command line')
  if (!url) {
    await store.golem.addTool(project, new Uint8Array(), { name, from, look: true }) // throws the error that says what is wrong with the address
    throw fault('E_NETWORK', 'the address is not one of a file', 'for example https://example.org/tool.wasm')
  }
  tell(`fetching ${url.host}${visible(url.pathname)}`)
  return { name, from, data: await fetchModule(url, signal) }
}

const read = async (f) => new Uint8Array(await f.slice(0, largest + 1).arrayBuffer())
const stemOf = (file) => file.name.replace(/\.\w+$/, '')
/** Returns the path of a chosen file from its folder, if a folder was chosen. */
const pathOf = (file) => (file.webkitRelativePath ? file.webkitRelativePath.replace(/^[^/]*\//, '') : file.name)
/** Reports whether a file of a folder may be imported: not one of packages or of other programs. */
const imported = (path) => /\.(m?[jt]s|json)$/.test(path) && !path.split('/').some((part) => part === 'node_modules' || part.startsWith('.'))
const most = 1000 // files

/** Reads the source among the chosen files, which golem makes a module of, and the others, which it may import. */
async function fromSource(files, name) {
  const sources = files.filter((f) => /\.m?[jt]s$/.test(f.name) && !/\.(test|d)\.m?[jt]s$/.test(f.name) && !pathOf(f).includes('/'))
  if (!sources.length) throw fault('E_USAGE', 'no source lies directly in this folder', 'choose the folder that has the .js or .ts file of the tool')
  const tool = sources.length === 1 ? sources[0] : sources.find((f) => stemOf(f) === name)
  if (!tool) throw fault('E_USAGE', 'several sources are chosen', 'write the name of the tool among them into the field Name, and choose them again; the others are what it imports')
  const others = files.filter((f) => f !== tool && imported(pathOf(f)))
  if (others.length > most) throw fault('E_USAGE', `the folder has more than ${most} sources`, 'choose one with only the tool and what it imports')
  const imports = {}
  for (const f of others) imports[pathOf(f)] = await read(f)
  return { name: stemOf(tool), from: '', data: await read(tool), source: tool.name, imports }
}

/** Reads the module or source among the chosen files, and the module's description if it was chosen too. name is what the person wrote for it. */
async function fromFiles(files, name) {
  const modules = files.filter((f) => /\.wasm$/i.test(f.name))
  if (!modules.length && files.some((f) => /\.m?[jt]s$/.test(f.name))) return fromSource(files, name)
  if (modules.length !== 1) throw fault('E_USAGE', 'choose one .wasm, .js or .ts file', 'if the description of a module lies beside it, NAME.tools.yaml, choose both')
  const stem = modules[0].name.slice(0, -5)
  const beside = files.find((f) => f.name === `${stem}.tools.yaml`)
  return { name: stem, from: '', data: await read(modules[0]), sidecar: beside && await read(beside) }
}

function AddTool({ project, fetched, leave }) {
  const [found, setFound] = useState(null)
  const [doing, tell] = useState('')
  const [told, setTold] = useState(null)
  const typed = useRef({ address: '', name: '' })
  const stopping = useRef(null)
  useEffect(() => () => stopping.current?.abort(), [])
  const attempt = async (what) => {
    stopping.current = new AbortController()
    const { signal } = stopping.current
    setTold(null)
    tell('reading the module')
    try {
      await what(signal)
    } catch (e) {
      if (signal.aborted) return
      setFound(null)
      setTold({ level: 'error', text: e.code ? faultText(e) : e.message })
    }
    tell('')
  }
  /** Shows a module; Found writes it after a yes. */
  const look = (get, update = false) => attempt(async (signal) => {
    const { data, ...rest } = await get(signal)
    const options = { ...store.options(), ...rest, name: (!update && typed.current.name.trim().replace(/\.wasm$/, '')) || rest.name }
    const seen = await store.golem.addTool(project, data, { ...options, look: true, signal })
    const same = seen.module.sha256
    if (update && same === seen.pinned && same === seen.was?.sha256) setTold({ level: 'info', text: `${visible(seen.module.path)} is unchanged: sha256 ${same}` })
    else setFound({ ...seen, from: rest.from, update, data, options })
  })
  const write = () => attempt(async () => {
    const { module: m, others, update, data, options } = found
    if (project !== store.project.value) throw fault('E_CONFLICT', 'another project is open by now')
    await store.golem.addTool(project, data, { ...options, agreed: found.state })
    leave()
    store.tell(`${update ? 'updated' : 'added'} ${visible(m.path)}, pinned in tools.lock${others > 0 ? `; it is new, and pins the project's ${count(others, 'other module')} too` : ''}`)
    await Promise.all([store.listFiles(), store.inspect()])
  })
  if (found) return <Found key="found" found={found} doing={doing} leave={() => doing || leave()} write={write} />
  return <Source key="source" fetched={fetched} typed={typed.current} doing={doing} told={told} look={look} project={project} tell={tell} leave={leave} />
}

/** The part of the dialog in which the person chooses where the module comes from. */
function Source({ fetched, typed, doing, told, look, project, tell, leave }) {
  const names = Object.keys(fetched).sort()
  const fetchIt = (from, path = '') => look((signal) => fromAddress(project, from, path, signal, tell), path !== '')
  const picked = (from) => (e) => {
    const files = [...e.target.files]
    e.target.value = ''
    look(() => from(files, typed.name.trim()))
  }
  return (
    <Dialog title="Add a tool" leave={leave} submit={() => !doing && typed.address.trim() && fetchIt(typed.address.trim())}
      buttons={<button class="button primary" disabled={doing !== ''}>Fetch it</button>}>
      <div class="field">
        <label for="tool-address">Address of a tool module (.wasm)</label>
        <input id="tool-address" class="input" data-first defaultValue={typed.address} onInput={(e) => (typed.address = e.target.value)} autocomplete="off" spellcheck={false} placeholder="https://example.org/tool.wasm" />
        <p class="hint">The page asks this address for the file. Its server has to let other pages read it (CORS). You see what the module is before anything is written.</p>
      </div>
      <div class="field">
        <label for="tool-name">Name in tools/</label>
        <input id="tool-name" class="input" defaultValue={typed.name} onInput={(e) => (typed.name = e.target.value)} autocomplete="off" spellcheck={false} placeholder="that of the address or file" />
      </div>
      <div class="field">
        <label class="button">Choose a file of this computer<input class="sr" type="file" multiple accept=".wasm,.yaml,.js,.ts,.mjs,.mts,.json" disabled={doing !== ''} onChange={picked(fromFiles)} /></label>
        <label class="button">Choose a folder<input class="sr" type="file" webkitdirectory disabled={doing !== ''} onChange={picked(fromSource)} /></label>
        <p class="hint">A module (.wasm), with its description if that lies beside it (NAME.tools.yaml); or a source (.js, .ts), with the files beside it that it imports. Choose the source's folder if it imports files of folders in it.</p>
      </div>
      <div class="field">
        <button type="button" class="button" disabled={doing !== ''} onClick={() => { leave(); makeFile(`tools/${typed.name.trim().toLowerCase().replace(/\.\w+$/, '').replace(/[^a-z0-9_-]+/g, '_') || 'wordcount'}.js`) }}>Write a new one</button>
        <p class="hint">A JavaScript function that counts words, for you to change. Every worker of the project has it then; a call asks you.</p>
      </div>
      {names.length > 0 && <><h3>Fetched from an address</h3>
        <ul class="stack">{names.map((path) => (
          <li class="row" key={path}><span class="grow mono ellipsis" title={visible(fetched[path])}>{visible(path)}</span>
            <button type="button" class="button small" aria-label={`update ${visible(path)}`} disabled={doing !== ''} onClick={() => fetchIt(fetched[path], path)}>Update</button></li>
        ))}</ul></>}
      {told && <p class={`note ${told.level}`} role={told.level === 'error' ? 'alert' : 'status'}>{told.text}</p>}
      {doing && <p class="note" role="status">{doing}…</p>}
    </Dialog>
  )
}
