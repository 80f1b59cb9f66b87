// The project's files and an editor. What is not saved is kept in memory until
// it is, and leaving the page with unsaved text asks.
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { Description } from './describe.jsx'
import { Icon } from './icons.jsx'
import { faultText } from './run.js'
import { askText, askYes } from './ask.jsx'

/** Texts that are not saved, by project and path. */
const drafts = signal(new Map())
const shut = signal(new Set())
const draftKey = (path) => `${store.project.value}\n${path}`

addEventListener('beforeunload', (e) => {
  if (drafts.value.size) e.preventDefault()
})

export function Files() {
  const path = store.editing.value
  return (
    <div class="split files">
      <section class="pane side" aria-label="Files" data-away={path !== ''}>
        <header><h2 class="grow">Files</h2><Upload /><NewFile /></header>
        <List />
        <Checks />
      </section>
      <section class="pane" aria-label="Editor" data-away={path === ''}>
        {path ? <Open key={draftKey(path)} path={path} /> : <div class="empty"><p>Pick a file to read or change it.</p></div>}
      </section>
    </div>
  )
}

function List() {
  const entries = store.files.value
    .filter((f) => ![...shut.value].some((d) => f.path.startsWith(d + '/')))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const toggle = (dir) => {
    const next = new Set(shut.value)
    if (!next.delete(dir)) next.add(dir)
    shut.value = next
  }
  return (
    <ul class="scroll grow tree">
      {entries.map((f) => {
        const depth = f.path.split('/').length - 1
        const name = visible(f.path.slice(f.path.lastIndexOf('/') + 1))
        return (
          <li key={f.path}>
            <button class="entry" style={{ paddingLeft: `${10 + depth * 16}px` }} aria-current={store.editing.value === f.path ? 'true' : undefined}
              aria-expanded={f.dir ? !shut.value.has(f.path) : undefined} onClick={() => (f.dir ? toggle(f.path) : (store.editing.value = f.path))}>
              <Icon name={f.dir ? 'folder' : f.path.endsWith('.worker') ? 'worker' : f.path.endsWith('.wasm') ? 'tool' : 'file'} />
              <span class="ellipsis">{name}{drafts.value.has(draftKey(f.path)) ? ' •' : ''}</span>
              {!f.dir && <span class="size">{bytes(f.size)}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** Bytes for people, in powers of 1000. */
export function bytes(n) {
  if (n < 1000) return `${n} B`
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)} kB`
  return n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(1)} GB`
}

function NewFile() {
  const make = async () => {
    const name = await askText('New file', { label: 'Name, with its folders: workers/helper.worker', action: 'Make it' })
    if (!name) return
    const path = name.replace(/^\/+/, '')
    await store.attempt(`making ${path}`, async () => {
      if (store.files.value.some((f) => f.path === path)) throw new Error('a file with this name exists already')
      const text = path.endsWith('.worker') ? '---\ndescription: \n---\n' : ''
      await store.golem.files(store.project.value).write(path, text)
      await store.listFiles()
      store.editing.value = path
    })
  }
  return <button class="button quiet square" aria-label="new file" title="new file" onClick={make}><Icon name="plus" /></button>
}

function Upload() {
  const take = async (e) => {
    const picked = [...e.target.files]
    e.target.value = ''
    await store.attempt('copying the files', async () => {
      for (const f of picked) {
        if (store.files.value.some((x) => x.path === f.name) && !(await askYes(`Replace ${visible(f.name)}?`, 'The project has a file of this name.', 'Replace it', true))) continue
        await store.golem.files(store.project.value).write(f.name, new Uint8Array(await f.arrayBuffer()))
      }
      await Promise.all([store.listFiles(), store.inspect()])
    })
  }
  return <label class="button quiet square" title="put files of this computer into the project"><Icon name="up" /><span class="sr">put files into the project</span><input class="sr" type="file" multiple onChange={take} /></label>
}

/** What golem check says of the project. */
function Checks() {
  const faults = store.about.value?.faults ?? []
  if (!faults.length) return <p class="small muted row entry"><Icon name="check" />no faults</p>
  return (
    <ul class="scroll stack tree" aria-label="Faults">
      {faults.map((f, i) => (
        <li key={i}><button class={`note small ${f.severity === 'warning' ? 'warn' : 'error'}`} onClick={() => f.where?.file && store.edit(f.where.file)}>{faultText(f)}</button></li>
      ))}
    </ul>
  )
}

function Open({ path }) {
  const [state, setState] = useState(null)
  const [about, setAbout] = useState(null) // what golem describe says of a saved worker
  const files = store.golem.files(store.project.value)
  const key = draftKey(path)
  const describe = () => {
    if (about !== null) return setAbout(null)
    return store.attempt(`describing ${path}`, async () => setAbout((await store.golem.describe(store.project.value, './' + path, store.options()))))
  }
  useEffect(() => {
    let gone = false
    store.attempt(`reading ${path}`, async () => {
      const data = await files.read(path)
      const text = decode(data)
      if (!gone) setState({ text, size: data.length, data })
    })
    return () => { gone = true }
  }, [path])
  const dirty = drafts.value.has(key)
  const save = () => store.attempt(`saving ${path}`, async () => {
    const text = drafts.value.get(key)
    if (text === undefined) return
    await files.write(path, text)
    const next = new Map(drafts.value)
    if (next.get(key) === text) next.delete(key)
    drafts.value = next
    setAbout(null)
    await Promise.all([store.listFiles(), store.inspect()])
  })
  const keep = (to) => { // the draft goes with its file, or away
    const next = new Map(drafts.value)
    const text = next.get(key)
    next.delete(key)
    if (to && text !== undefined) next.set(draftKey(to), text)
    drafts.value = next
    store.editing.value = to
  }
  const rename = () => store.attempt(`renaming ${path}`, async () => {
    const to = (await askText(`Rename ${visible(path)}`, { label: 'New name, with its folders', value: path, action: 'Rename it' }))?.replace(/^\/+/, '')
    if (!to || to === path) return
    if (store.files.value.some((f) => f.path === to)) throw new Error(`${to} exists already`)
    await files.move(path, to)
    await Promise.all([store.listFiles(), store.inspect()])
    keep(to)
  })
  const remove = () => store.attempt(`deleting ${path}`, async () => {
    if (!(await askYes(`Delete ${visible(path)}?`, 'This cannot be undone.', 'Delete', true))) return
    await files.remove(path)
    keep('')
    await Promise.all([store.listFiles(), store.inspect()])
  })
  const changed = (text) => {
    const next = new Map(drafts.value)
    if (state && text === state.text) next.delete(key)
    else next.set(key, text)
    drafts.value = next
  }
  return (
    <>
      <header>
        <button class="button quiet square phone-only" aria-label="back to the files" onClick={() => (store.editing.value = '')}><Icon name="back" /></button>
        <h2 class="ellipsis grow mono">{visible(path)}</h2>
        {path.endsWith('.worker') && <button class="button quiet small" aria-pressed={about !== null} title="prompt, tools, what asks, files and settings of the worker as it is saved" onClick={describe}>Describe</button>}
        <button class="button quiet square" aria-label={`rename ${path}`} title="rename" onClick={rename}><Icon name="pen" /></button>
        <button class="button quiet square" aria-label={`download ${path}`} disabled={!state} onClick={() => store.download(path.split('/').at(-1), state.data)}><Icon name="down" /></button>
        <button class="button quiet square danger" aria-label={`delete ${path}`} onClick={remove}><Icon name="trash" /></button>
        <button class="button primary" disabled={!dirty} onClick={save}><Icon name="save" /><span class="save">Save</span></button>
      </header>
      {about !== null ? <section class="scroll grow" aria-label={`What ${visible(path)} is`} tabIndex={0}><Description of={about} /></section>
        : state === null ? <p class="empty" role="status">reading…</p>
        : state.text === null ? <p class="empty">{bytes(state.size)} that are not text.</p>
          : <Editor path={path} text={drafts.value.get(key) ?? state.text} onChange={changed} onSave={save} />}
    </>
  )
}

/** Bytes as text, or null if they are none. */
function decode(data) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** A plain field at once; the real editor takes its place when it is loaded. */
function Editor({ path, text, onChange, onSave }) {
  const box = useRef(null)
  const field = useRef(null)
  const calls = useRef({})
  calls.current = { onChange, onSave }
  const [rich, setRich] = useState(false)
  useEffect(() => {
    let view = null
    let gone = false
    import('./editor.js').then(({ open }) => {
      if (gone || !box.current) return
      view = open(box.current, field.current?.value ?? text, path, (t) => calls.current.onChange(t), () => calls.current.onSave())
      setRich(true)
    }, () => {}) // offline and not cached yet: the plain field stays
    return () => {
      gone = true
      view?.destroy()
    }
  }, [path])
  const keys = (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault()
      onSave()
    }
  }
  return (
    <div class="editor" ref={box}>
      {!rich && <textarea ref={field} aria-label={`text of ${path}`} spellcheck={false} defaultValue={text} onInput={(e) => onChange(e.target.value)} onKeyDown={keys} />}
    </div>
  )
}
