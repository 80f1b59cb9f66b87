// The project's files and an editor. Unsaved texts are kept in the browser's storage
// (drafts.js).
import { useEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { Description } from './describe.jsx'
import { Icon } from './icons.jsx'
import { faultText } from './texts.js'
import { askText, askYes } from './ask.jsx'
import { ahead, drafts, keyOf, put } from './drafts.js'
import { Tree } from './filetree.jsx'
import { Part, LARGE } from './part.jsx'
import { add, dropped, picked, Progress } from './bring.jsx'
import { bytes } from './size.js'
import { Since } from './since.jsx'
import { makeFile } from './newfile.js'
import { settings } from './settings.js'
import { later } from './later.jsx'

export function Files() {
  const path = store.editing.value
  const [over, setOver] = useState(false)
  const drag = (e) => {
    if (!e.dataTransfer?.types.includes('Files')) return
    e.preventDefault()
    setOver(e.type === 'dragover')
    if (e.type === 'drop') store.attempt('copying the files', async () => add(await dropped(e.dataTransfer)))
  }
  return (
    <div class="split files">
      <section class="pane side" aria-label="Files" data-away={path !== ''} data-over={over} onDragOver={drag} onDragLeave={() => setOver(false)} onDrop={drag}>
        <header><h2 class="grow">Files</h2><Upload />
          <button class="button quiet square" aria-label="Add a tool…" title="Add a tool…" onClick={() => import('./tooladd.jsx').then((m) => m.tools())}><Icon name="tool" /></button>
          <NewFile /></header>
        <Progress />
        <Tree />
        <Checks />
      </section>
      <section class="pane" aria-label="Editor" data-away={path === ''}>
        {path ? <Open key={keyOf(path)} path={path} /> : <div class="empty"><p>Pick a file to read or change it. Files and folders of this computer can be dropped on the list.</p></div>}
      </section>
    </div>
  )
}

const Preview = later(() => import('./preview.jsx').then((m) => m.Preview))
const Harden = later(() => import('./harden.jsx').then((m) => m.Harden))

/** Returns how a file can be shown besides as text: md, csv, json, image, wasm; '' if only as text. */
const kindOf = (path) => (/\.(md|markdown)$/i.test(path) ? 'md' : /\.[ct]sv$/i.test(path) ? 'csv' : /\.json$/i.test(path) ? 'json' : /\.(png|jpe?g|gif|webp|avif|svg|ico|bmp)$/i.test(path) ? 'image' : /\.wasm$/i.test(path) ? 'wasm' : '')

/** Returns a path as golem writes it: a/./b//c is a/b/c. */
const cleaned = (path) => path.split('/').reduce((out, e) => (e === '..' ? out.slice(0, -1) : e && e !== '.' ? [...out, e] : out), []).join('/')

function NewFile() {
  const make = async () => {
    const name = await askText('New file', { label: 'Name, with its folders: workers/helper.worker, tools/count.js', action: 'Make it' })
    if (!name) return
    await makeFile(cleaned(name))
  }
  return <button class="button quiet square" aria-label="new file" title="new file" onClick={make}><Icon name="plus" /></button>
}

function Upload() {
  const take = (e) => {
    const files = picked(e.target)
    e.target.value = ''
    return store.attempt('copying the files', () => add(files))
  }
  return <label class="button quiet square" title="put files of this computer into the project"><Icon name="up" /><span class="sr">put files into the project</span><input class="sr" type="file" multiple onChange={take} /></label>
}

/** The faults that golem check finds in the project. */
function Checks() {
  const unsaved = [...drafts.value.keys()].some((key) => key.startsWith(keyOf('')))
  const faults = ahead.value ?? store.about.value?.faults ?? []
  if (!faults.length) return <p class="small muted row entry" role="status"><Icon name="check" />{unsaved && !ahead.value ? 'no faults in what is saved' : unsaved ? 'no faults, with what is not saved' : 'no faults'}</p>
  return (
    <ul class="scroll stack tree" aria-label="Faults">
      {faults.map((f, i) => <Fault key={i} fault={f} />)}
      {faults.some((f) => f.page?.do === 'lock') && <li><button class="button small" onClick={() => import('./pin.jsx').then((m) => m.pin())}>Write golem.lock again…</button></li>}
    </ul>
  )
}

/** A fault as a button, which opens its file at its line. */
const Fault = ({ fault: f }) => <li><button class={`note small ${f.severity === 'warning' ? 'warn' : 'error'}`} onClick={() => f.where?.file && store.edit(f.where.file, f.where.line ?? 0)}>{faultText(f)}</button></li>

/** Returns the content of a file: {text, data}; {large} if it is too large; {wrong} if it cannot be read; null while it is read. It is read again when the list of files says that it changed. */
function useFile(path) {
  const [state, setState] = useState(null)
  const listed = store.files.value.find((f) => f.path === path)
  const read = async () => {
    let data
    try {
      data = await store.golem.files(store.project.value).read(path, { size: LARGE + 1 })
    } catch (e) {
      const draft = drafts.value.get(keyOf(path)) // if the file was deleted, its draft can still be saved
      return setState((was) => (draft && e.code === 'E_NOT_FOUND' ? was ?? { text: draft.base, version: 0 } : { wrong: e.code === 'E_NOT_FOUND' ? 'There is no such file.' : faultText(e) }))
    }
    if (data.length > LARGE) return setState({ large: listed?.size ?? data.length })
    const text = decode(data)
    setState((was) => (was && was.text === text && text !== null ? was : { text, size: data.length, data, version: (was?.version ?? 0) + 1 }))
  }
  useEffect(() => void store.attempt(`reading ${path}`, read), [path, listed?.size, listed?.modified])
  return [state, setState, read]
}

function Open({ path }) {
  const [state, setState, read] = useFile(path)
  const [about, setAbout] = useState(null) // the data of golem describe for a saved worker
  const [harden, setHarden] = useState(false) // whether the worker is being turned into code
  const [since, setSince] = useState(false) // whether the file is compared with its state before the last run
  const [theirs, setTheirs] = useState(false) // whether the file is shown instead of the draft
  const files = store.golem.files(store.project.value)
  const key = keyOf(path)
  const draft = drafts.value.get(key)
  const kind = kindOf(path)
  const [shown, setShown] = useState(['md', 'csv', 'image', 'wasm'].includes(kind) && !draft && store.place.peek()?.path !== path) // whether it is shown as what it is
  const text = draft?.text ?? state?.text
  const showing = shown && kind !== '' && (['image', 'wasm'].includes(kind) || typeof text === 'string')
  const changed = draft !== undefined && state !== null && !state.wrong && (state.text ?? undefined) !== draft.base
  const describe = () => {
    setSince(false)
    setHarden(false)
    if (about !== null) return setAbout(null)
    return store.attempt(`describing ${path}`, async () => setAbout((await store.golem.describe(store.project.value, './' + path, store.options()))))
  }
  const save = () => store.attempt(`saving ${path}`, async () => {
    const now = drafts.value.get(key)
    if (now === undefined) return
    try {
      await files.write(path, now.text, { base: now.base })
    } catch (e) {
      if (e.code === 'E_CONFLICT') return await read() // then the view asks which of the two texts to keep
      if (e.code !== 'E_NOT_FOUND') throw e
      await files.write(path, now.text) // the file was deleted meanwhile
    }
    setState((was) => ({ ...was, large: 0, text: now.text, size: now.text.length, data: new TextEncoder().encode(now.text) }))
    const later = drafts.value.get(key)
    put(key, later && later.text !== now.text ? { text: later.text, base: now.text } : null)
    setAbout(null)
    await Promise.all([store.listFiles(), store.inspect()])
  })
  const keep = (to) => { // moves the draft with its file, or removes it
    const now = drafts.value.get(key)
    put(key, null)
    if (to && now !== undefined) put(keyOf(to), now)
    store.editing.value = to
  }
  const take = () => { // replaces the draft by the file's content
    put(key, null)
    setTheirs(false)
    setState((was) => ({ ...was, version: (was.version ?? 0) + 1 }))
  }
  const mine = () => { // without a base, where the file has no text, the next save replaces it whatever it has
    put(key, { text: draft.text, base: state.text ?? undefined })
    setTheirs(false)
  }
  const download = () => store.attempt(`reading ${path}`, async () => store.download(path.split('/').at(-1), state.data ?? (await files.read(path))))
  const rename = () => store.attempt(`renaming ${path}`, async () => {
    const to = cleaned((await askText(`Rename ${visible(path)}`, { label: 'New name, with its folders', value: path, action: 'Rename it' })) ?? '')
    if (!to || to === path) return
    await store.listFiles()
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
  const typed = (text) => {
    const base = drafts.value.get(key)?.base ?? state.text
    put(key, text === base && !changed ? null : { text, base })
  }
  return (
    <>
      <header class="file">
        <button class="button quiet square phone-only" aria-label="back to the files" onClick={() => (store.editing.value = '')}><Icon name="back" /></button>
        <h2 class="ellipsis grow mono">{visible(path)}</h2>
        {!state?.wrong && <>
          {kind !== '' && (kind === 'md' || kind === 'csv' || kind === 'json' || path.endsWith('.svg')) && <button class="button quiet small" aria-pressed={shown} title="shows the file as what it is, instead of as text" onClick={() => setShown(!shown)}>Preview</button>}
          {path.endsWith('.worker') && <button class="button quiet small" aria-pressed={about !== null} title="prompt, tools, what asks, files and settings of the worker as it is saved" onClick={describe}>Describe</button>}
          {path.endsWith('.worker') && <button class="button quiet small" aria-pressed={harden} title="let a model write code that takes the place of the worker" onClick={() => { setAbout(null); setSince(false); setHarden(!harden) }}>Harden</button>}
          <button class="button quiet small" aria-pressed={since} title="what has changed in the file since before the last run that wrote it" onClick={() => { setAbout(null); setHarden(false); setSince(!since) }}>Changes</button>
          <button class="button quiet square" aria-label={`rename ${path}`} title="rename" onClick={rename}><Icon name="pen" /></button>
          <button class="button quiet square" aria-label={`download ${path}`} disabled={!state} onClick={download}><Icon name="down" /></button>
          <button class="button quiet square danger" aria-label={`delete ${path}`} onClick={remove}><Icon name="trash" /></button>
          <button class="button primary" disabled={!draft || changed} onClick={save}><Icon name="save" /><span class="save">Save</span></button>
        </>}
      </header>
      {state?.wrong ? <p class="empty" role="alert">{visible(state.wrong)}</p>
        : about !== null ? <section class="scroll grow" aria-label={`What ${visible(path)} is`} tabIndex={0}><Description of={about} /></section>
        : harden ? <section class="scroll grow" aria-label={`The code of ${visible(path)}`} tabIndex={0}><Harden path={path} done={() => setHarden(false)} /></section>
        : since ? <section class="scroll grow" aria-label={`What has changed in ${visible(path)}`} tabIndex={0}><Since path={path} /></section>
        : state === null ? <p class="empty" role="status">reading…</p>
        : showing && !changed ? <Preview path={path} kind={kind} text={text} />
          : <>
            {changed && (
              <p class="row note warn" role="alert">
                <span class="grow">This file was changed after you began to edit it, by a worker or in another tab. Nothing is saved until you choose.</span>
                <button class="button small" aria-pressed={theirs} onClick={() => setTheirs(!theirs)}>Look at it</button>
                <button class="button small" onClick={take}>Drop my text</button>
                <button class="button small" onClick={mine}>Keep mine</button>
              </p>
            )}
            {(draft ? changed && theirs : typeof state.text !== 'string')
              ? state.large ? <Part key={state.large} path={path} size={state.large} />
              : state.text === null ? <p class="empty">This file is not UTF-8 text ({bytes(state.size)}). Download it to open it.</p>
                : <pre class="scroll grow part" tabIndex={0} role="region" aria-label={`${path} as it is now`}>{state.text}</pre>
              : <Editor key={state.version} path={path} text={draft?.text ?? state.text} onChange={typed} onSave={save} />}
          </>}
    </>
  )
}

/** Returns workers with the names of their files, for a project that golem cannot read because of faults. */
const byPath = (paths) => paths.filter((p) => p.endsWith('.worker')).map((p) => ({ id: p.replace(/^workers\//, '').replace(/\.worker$/, ''), tools: [] }))

let names = null // the names for completion, as they were read last: {about, files, of}

/** Resolves to the project's names for completion. They are read again when the project has changed. */
async function projectNames() {
  const about = store.about.value
  if (names?.about !== about || names?.files !== store.files.value) {
    const name = store.project.value
    const all = store.files.value
    const paths = all.filter((f) => !f.dir).map((f) => f.path)
    names = { about, files: all, of: store.golem.tree(name, store.options()).catch(() => ({ workers: [] })).then((t) => (t.workers.length ? t.workers : byPath(paths))).then((workers) => ({
      workers: workers.map((w) => w.id).sort(),
      tools: [...new Set(workers.flatMap((w) => w.tools.map((t) => t.name)))].sort(),
      modules: paths.filter((p) => p.endsWith('.wasm')),
      models: [...new Set([settings.project(name).model, ...paths.filter((p) => /script[^/]*\.ya?ml$/.test(p) || /^s\.yaml$/.test(p)).map((p) => `script:${p}`), ...store.golem.providers.map((p) => `${p.name}:`)].filter(Boolean))],
      files: paths.map((p) => `./${p}`), folders: all.filter((f) => f.dir).map((f) => `./${f.path}`),
    })) }
  }
  return names.of
}

/** Returns bytes as text, or null if they are not UTF-8 text. */
function decode(data) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** Reports whether each line of a text ends with CRLF, which the editor then keeps. */
const crlf = (text) => text.includes('\r\n') && !/(^|[^\r])\n/.test(text)

/** A plain text field, which the real editor replaces when it is loaded. */
function Editor({ path, text, onChange, onSave }) {
  const box = useRef(null)
  const now = useRef() // what was typed into the plain field, whose value has no CRLF
  const calls = useRef({})
  calls.current = { onChange, onSave }
  const [rich, setRich] = useState(null)
  const faults = (ahead.value ?? store.about.value?.faults ?? []).filter((f) => f.where?.file === path)
  useEffect(() => {
    let view = null
    let gone = false
    import('./editor.js').then(({ open }) => {
      if (gone || !box.current) return
      view = open(box.current, now.current ?? text, path, { crlf: crlf(text), changed: (t) => calls.current.onChange(t), save: () => calls.current.onSave(), known: projectNames })
      setRich(view)
    }, () => {}) // without a network and a cached editor the plain field stays
    return () => {
      gone = true
      now.current = undefined
      view?.destroy()
    }
  }, [path])
  useEffect(() => rich?.faults(faults), [rich, JSON.stringify(faults)])
  useEffect(() => {
    if (!rich || store.place.value?.path !== path) return
    rich.show(store.place.value.line)
    store.place.value = null
  }, [rich, store.place.value])
  const keys = (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault()
      onSave()
    }
  }
  return (
    <>
    <div class="editor" ref={box}>
      {!rich && <textarea aria-label={`text of ${path}`} spellcheck={false} defaultValue={text} onInput={(e) => onChange(now.current = crlf(text) ? e.target.value.replaceAll('\n', '\r\n') : e.target.value)} onKeyDown={keys} />}
    </div>
    {faults.length > 0 && <ul class="scroll stack tree phone-only" aria-label="Faults of this file">{faults.map((f, i) => <Fault key={i} fault={f} />)}</ul>}
    </>
  )
}
