// The page: a frame with four views of one project, and the list of projects.
import { visible } from './visible.js' // first, before anything is drawn
import { signal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { createGolem } from './golem.js'
import * as store from './store.js'
import { settings } from './settings.js'
import { Icon } from './icons.jsx'
import { incoming } from './making.js'
import { Conversation } from './conversation.jsx'
import { later } from './later.jsx'
import { load } from './prose.jsx'
import { Approval } from './approval.jsx'
import { Ask } from './ask.jsx'
import { asked as form } from './start.js'
import { Boundary } from './boundary.jsx'
import { Unkept } from './unkept.jsx'
import { choosing } from './models.js'
import { listen, shown, showKeys } from './keys.jsx'
import { watch } from './notify.js'
import { follow, keep, write } from './route.js'

const tabs = [
  ['projects', 'Projects', 'home'], ['run', 'Run'], ['workers', 'Workers', 'worker'], ['files', 'Files'], ['staged', 'Staged', 'check'], ['batches', 'Batches', 'box'], ['trace', 'Trace'], ['settings', 'Settings'],
]

const Projects = later(() => import('./projects.jsx').then((m) => m.Projects))
const Workers = later(() => import('./workers.jsx').then((m) => m.Workers))
const Files = later(() => import('./files.jsx').then((m) => m.Files))
const Staged = later(() => import('./staged.jsx').then((m) => m.Staged))
const Batches = later(() => import('./batches.jsx').then((m) => m.Batches))
const Traces = later(() => import('./traces.jsx').then((m) => m.Traces))
const Settings = later(() => import('./settingsview.jsx').then((m) => m.Settings))
const Form = later(() => import('./forms.jsx').then((m) => m.Form), true)
const Choice = later(() => import('./modelchoice.jsx').then((m) => m.Choice), true)

const KeyList = later(() => import('./keylist.jsx').then((m) => m.KeyList), true)

const StartForm = () => form.value && <Form key={form.value.title} of={form.value} />
const ModelChoice = () => choosing.value && <Choice />

const loading = signal('Starting golem')

function App() {
  const { view, project, ready, theme } = store
  const dark = theme.value === 'dark'
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById('main').focus() }}>Skip to the content</a>
      <header class="top">
        <button class="brand" onClick={() => (view.value = 'projects')} aria-label="golem: all projects">
          <Mark /><span>golem</span>
        </button>
        {project.value && (
          <button class="button quiet ellipsis project" onClick={() => (view.value = 'run')} title={`the open project, ${project.value}`}>{project.value}</button>
        )}
        <nav class="tabs" aria-label="Views">
          {tabs.filter(([name]) => project.value || !['run', 'workers', 'files', 'staged', 'batches'].includes(name)).map(([name, title, icon]) => <Tab key={name} name={name} title={title} icon={icon} />)}
        </nav>
        <span class="grow" />
        <button class="button quiet square wide-only" aria-label="keys" title="keys (?)" onClick={showKeys}>?</button>
        <button class="button quiet square" onClick={() => store.setTheme(dark === matchMedia('(prefers-color-scheme: dark)').matches ? (dark ? 'light' : 'dark') : 'system')} aria-label={dark ? 'use light colours' : 'use dark colours'}>
          <Icon name={dark ? 'sun' : 'moon'} />
        </button>
      </header>
      <Elsewhere />
      <Unkept />
      <Toast />
      <main id="main" tabIndex={-1} class={store.asked.value.length ? 'asks' : ''}><h1 class="sr">{project.value || 'golem'}</h1>{ready.value ? <Boundary key={view.value + project.value}><View /></Boundary> : <Starting />}</main>
      <Approval />
      <ModelChoice />
      <Ask />
      <StartForm />
      {shown.value && <KeyList />}
    </>
  )
}

/** The projects beside the open one in which something runs, each as a button that opens it. */
const Elsewhere = () => store.elsewhere.value.length > 0 && (
  <div class="elsewhere row small" role="status" aria-label="Other projects">
    {store.elsewhere.value.map(({ name, asks }) => (
      <button key={name} class="button small" onClick={() => store.attempt(`opening ${name}`, () => store.open(name))}>
        <span class={`mark ${asks ? 'asking' : 'running'}`} aria-hidden="true">{asks ? '?' : ''}</span><span class="ellipsis">{visible(name)}</span>{asks ? ' asks you' : ' runs'}
      </button>
    ))}
  </div>
)

const Toast = () => store.toast.value && <Notice key={store.toast.value.n} toast={store.toast.value} />

/** A notice. It closes after 8 seconds, or after 20 if it is a warning or an error, but not while the pointer or the focus is on it. */
function Notice({ toast }) {
  const [held, setHeld] = useState(false)
  const close = () => store.toast.value === toast && (store.toast.value = null) // it does not close a newer notice
  useEffect(() => {
    if (held) return undefined
    const timer = setTimeout(close, toast.level === 'info' ? 8_000 : 20_000)
    return () => clearTimeout(timer)
  }, [held])
  return (
    <div class={`note toast ${toast.level}`} role={toast.level === 'error' ? 'alert' : 'status'} onMouseEnter={() => setHeld(true)} onMouseLeave={() => setHeld(false)} onFocusCapture={() => setHeld(true)} onBlurCapture={() => setHeld(false)}>
      <span class="grow">{toast.text}</span>
      <button class="button quiet square" aria-label="close this notice" onClick={close}><Icon name="close" /></button>
    </div>
  )
}

function Tab({ name, title, icon }) {
  const { view, asked } = store
  const here = view.value === name
  return (
    <button class={`tab ${name}`} aria-current={here ? 'page' : undefined} onClick={() => (view.value = name)}>
      <Icon name={icon ?? name} /><span class="tab-title" data-title={title}>{title}</span>{name === 'run' && asked.value.length > 0 && <span class="sr">, a question waits</span>}
      {name === 'staged' && stagedWaits() > 0 && <span class="badge" aria-label={`${stagedWaits()} pending`}>{stagedWaits()}</span>}
    </button>
  )
}

const stagedWaits = () => store.staged.value.filter((s) => !s.error && ['pending', 'pushing'].includes(s.item.state)).length

function View() {
  switch (store.project.value || ['trace', 'settings'].includes(store.view.value) ? store.view.value : 'projects') {
    case 'run': return <Conversation />
    case 'workers': return <Workers />
    case 'files': return <Files />
    case 'staged': return <Staged />
    case 'batches': return <Batches />
    case 'trace': return <Traces />
    case 'settings': return <Settings />
  }
  return <Projects />
}

function Starting() {
  return (
    <div class="empty" role="status">
      {store.failure.value
        ? <><h2>golem cannot start here</h2><p class="note error">{store.failure.value}</p></>
        : <><span class="mark running" /><p>{loading.value}…</p></>}
    </div>
  )
}

const Mark = () => (
  <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
    <path d="M10 3h12l3 6v8l-3 3v8h-5v-6h-2v6h-5v-8l-3-3V9z" fill="currentColor" />
    <circle cx="13" cy="12" r="1.8" fill="var(--raised)" /><circle cx="19" cy="12" r="1.8" fill="var(--raised)" />
  </svg>
)

async function main() {
  store.setTheme(settings.theme)
  watch()
  render(<App />, document.getElementById('app'))
  Projects.fetched() // beside golem itself: it is there when the person wants it
  try {
    const [made, shipped] = await Promise.all([
      createGolem({ progress: (text) => (loading.value = text) }),
      fetch('examples/index.json').then((r) => r.json()),
    ])
    made.ended.then((e) => store.tell(`golem has stopped: ${e.message}. ${e.hint}.`, 'error'))
    await store.start(made, shipped.examples)
    if ('modelContext' in document) import('./offer.jsx').catch(() => {})
    addEventListener('hashchange', async () => {
      if (await follow()) return
      await incoming()
      write(true)
    })
    if (!(await follow())) await incoming()
    keep()
    listen()
    load()
  } catch (e) {
    store.failure.value = e.hint ? `${e.message}. ${e.hint}` : e.message
  }
}

main().finally(() => { // not before, because it loads and compares all files, and golem should not wait for that
  if ('serviceWorker' in navigator && location.protocol !== 'file:') navigator.serviceWorker.register('sw.js').catch(() => {})
})
